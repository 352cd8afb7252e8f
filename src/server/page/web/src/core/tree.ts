// Which containers are rows: a frontier of the tree that the user opens and closes, and what each row shows.
import type { Arrangement } from "./arrangement";
import type { Container, Series, TraceShape } from "./trace";

/** Rows that the page opens by itself at most. */
const MOST_ROWS = 200;
/** Containers up to which rows are as high as they look best. */
const MOST_HIGH_ROWS = 60;
/** Levels of nested states that are told apart. */
export const MAX_LEVELS = 6;

export interface Row {
  container: Container;
  /** Whether what lies below the container is gathered in this row. */
  lifted: boolean;
  isOpen: boolean;
  /** What the strip shows; "query" for rows of the user's own SQL. */
  kind: "state" | "event" | "variable" | "query" | "none";
  type: string;
  /** Levels of nesting of states. */
  levels: number;
  /** Whether the label of the container stands here. */
  isFirst: boolean;
  /** Whether it stays at the top while others scroll. */
  pinned: boolean;
  /** Steps to the right of its label. */
  indent: number;
  top: number;
  height: number;
}

/** A row as a key: the container, and what of it is shown. */
export function rowKey(container: number, kind: string, type: string): string {
  return `${container}\u0000${kind}\u0000${type}`;
}

/** The containers that are open when the user has not said: level by level, while the rows are not too many. */
export function defaultExpanded(trace: TraceShape): Set<number> {
  const open = new Set<number>();
  let level = trace.containers.filter((container) => container.parent === null);
  let rows = level.length;
  while (level.length > 0) {
    const next = level.flatMap((container) => container.children.map((id) => trace.byId.get(id)!));
    if (next.length === 0 || rows + next.length > MOST_ROWS) break;
    for (const container of level) if (container.children.length > 0) open.add(container.id);
    rows += next.length;
    level = next;
  }
  return open;
}

/** The containers that are open: those that the user has said, or the choice of the page. */
export function openRows(trace: TraceShape, expanded: number[] | null): Set<number> {
  return expanded ? new Set(expanded) : defaultExpanded(trace);
}

/** Whether a trace has so many containers that its rows are lower. */
export function isDense(trace: TraceShape): boolean {
  return trace.containers.length > MOST_HIGH_ROWS;
}

/** How much higher rows become where there is room. */
const MOST_STRETCH = 1.9;

/** Types of variables that never change, beside others that do: they take no rows. */
function constantTypes(trace: TraceShape): Set<string> {
  const types = new Map<string, boolean>();
  for (const list of trace.series.values()) {
    for (const entry of list) if (entry.kind === "variable") types.set(entry.type, (types.get(entry.type) ?? true) && entry.entities <= 1);
  }
  const constant = [...types].filter(([, isConstant]) => isConstant).map(([type]) => type);
  return new Set(constant.length < types.size ? constant : []);
}

/** The rows from top to bottom, with their places; higher where they leave room. Pinned ones come first, then those of SQL. */
export function rowsOf(trace: TraceShape, open: Set<number>, dense: boolean, room: number, arrangement: Arrangement | null = null): Row[] {
  const rows: Row[] = [];
  const constant = constantTypes(trace);
  const pins = (arrangement?.pinned ?? []).map((id) => trace.byId.get(id)).filter((container) => container !== undefined);
  const isPinned = new Set(pins.map((container) => container.id));
  const inOrder = (containers: Container[]) => {
    const shown = containers.filter((container) => !isPinned.has(container.id) && !arrangement?.hidden.has(container.id));
    return arrangement?.compare ? shown.sort(arrangement.compare) : shown;
  };
  const walk = (container: Container, pinned: boolean, indent: number) => {
    const isOpen = open.has(container.id);
    const lifted = !container.isLeaf && !isOpen;
    const own = trace.series.get(container.id) ?? [];
    const strips = (lifted ? liftedStrips(trace, container) : ownStrips(own)).filter((strip) => strip.kind !== "variable" || !constant.has(strip.type));
    if (strips.length === 0) strips.push({ kind: "none", type: "", levels: 1 });
    strips.forEach((strip, place) =>
      rows.push({ container, lifted, isOpen, ...strip, isFirst: place === 0, pinned, indent, top: 0, height: heightOf(strip, dense) }),
    );
    if (isOpen) for (const child of inOrder(container.children.map((id) => trace.byId.get(id)!))) walk(child, pinned, indent + 1);
  };
  for (const container of pins) walk(container, true, 0);
  for (const id of arrangement?.queried ?? []) {
    const [container, strip] = [trace.byId.get(id), { kind: "query", type: "SQL", levels: 1 } as const];
    if (container) rows.push({ container, lifted: false, isOpen: false, ...strip, isFirst: true, pinned: false, indent: 0, top: 0, height: heightOf(strip, dense) });
  }
  for (const container of inOrder(trace.containers.filter((container) => container.parent === null))) walk(container, false, 0);
  const total = rows.reduce((sum, row) => sum + row.height, 0);
  const stretch = Math.min(MOST_STRETCH, Math.max(1, (room - 8) / total));
  let top = 0;
  for (const row of rows) {
    row.top = top;
    row.height = Math.floor(row.height * stretch);
    top += row.height;
  }
  return rows;
}

type Strip = Pick<Row, "kind" | "type" | "levels">;

function heightOf(strip: Strip, dense: boolean): number {
  if (strip.kind === "state" || strip.kind === "query") return strip.levels === 1 ? (dense ? 14 : 22) : 4 + strip.levels * (dense ? 7 : 10);
  return strip.kind === "variable" ? 30 : dense ? 14 : 20;
}

/** States before variables, types in the order of their names; by their codes, since the browser's own comparison is slow to begin. */
function byKind(a: { kind: string; type: string }, b: { kind: string; type: string }): number {
  return a.kind !== b.kind ? (a.kind < b.kind ? -1 : 1) : a.type < b.type ? -1 : 1;
}

function ownStrips(series: Series[]): Strip[] {
  const strips: Strip[] = series
    .filter((entry) => entry.kind !== "event")
    .sort((a, b) => byKind(a, b))
    .map((entry) => ({ kind: entry.kind, type: entry.type, levels: entry.kind === "state" ? Math.min(entry.deepest + 1, MAX_LEVELS) : 1 }));
  if (series.some((entry) => entry.kind === "event")) strips.push({ kind: "event", type: "", levels: 1 });
  return strips;
}

function liftedStrips(trace: TraceShape, container: Container): Strip[] {
  const types = new Map<string, Strip>();
  for (let place = container.preorder; place <= container.last; place++) {
    for (const entry of trace.series.get(trace.containers[place].id) ?? []) {
      if (entry.kind === "event") continue;
      types.set(`${entry.kind} ${entry.type}`, { kind: entry.kind, type: entry.type, levels: 1 });
    }
  }
  return [...types.values()].sort((a, b) => byKind(a, b));
}

/** The first row of each container, but for those of SQL. */
export function firstRowsOf(rows: Row[]): Map<number, Row> {
  const first = new Map<number, Row>();
  for (const row of rows) if (row.kind !== "query" && !first.has(row.container.id)) first.set(row.container.id, row);
  return first;
}

/** The row on which a container is shown: its own, or that of the closed container that holds it. */
export function rowOfContainer(trace: TraceShape, rows: Map<number, Row>, id: number): Row | null {
  for (let at: number | null = id; at !== null; at = trace.byId.get(at)?.parent ?? null) {
    const row = rows.get(at);
    if (row && (at === id || row.lifted)) return row;
  }
  return null;
}
