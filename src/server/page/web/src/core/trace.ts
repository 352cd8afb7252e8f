// What the page knows of a trace before it draws: its window, its tree, its series, its values and their colors.
import { query, type Rows } from "./api";
import { type Color, parseColor, REST } from "./color";
import { chosenColor } from "./colors";
import { TRACE_SQL } from "./early";
import { palette, PALETTE_SIZE, valueColors } from "./palette";

export interface Container {
  id: number;
  parent: number | null;
  name: string;
  type: string;
  path: string;
  depth: number;
  isLeaf: boolean;
  leaves: number;
  preorder: number;
  last: number;
  children: number[];
}

/** A type of states, events or variables that a container has. */
export interface Series {
  kind: "state" | "event" | "variable";
  container: number;
  type: string;
  entities: number;
  deepest: number;
}

/** How long a trace is, and how much it has. */
export interface TraceHead {
  name: string;
  start: number;
  stop: number;
  /** Seconds of a tick. */
  tick: number;
  counts: Record<string, number>;
}

/** What the rows of a trace follow from. */
export interface TraceShape extends TraceHead {
  /** In the order of a walk through the tree. */
  containers: Container[];
  byId: Map<number, Container>;
  series: Map<number, Series[]>;
}

export interface TraceInfo extends TraceShape {
  /** Values with their time, those with most time first. */
  values: { name: string; ticks: number }[];
  /** Place of a value in that order. */
  places: Map<string, number>;
  /** The dozen of values with a color of their own. */
  shown: string[];
  colors: Map<string, Color>;
}

/** The color of a value: the one that the user gave it, its own, or gray. */
export function colorOf(trace: TraceInfo, value: string): Color {
  return chosenColor(value) ?? trace.colors.get(value) ?? REST;
}

/** Reads what must be known of a trace; who wants it is told its shape as soon as that is known. */
export async function loadTrace(name: string, tell: (trace: TraceShape) => void | Promise<void> = () => {}): Promise<TraceInfo> {
  const [info, tree, series, values] = TRACE_SQL.map((sql) => query(sql, name));
  const head = info.then((rows) => readHead(name, rows));
  const shape = Promise.all([head, tree, series]).then(([head, tree, series]) => readShape(head, tree, series));
  const [known, weights] = await Promise.all([shape, values.then(readValues), shape.then(tell)]);
  return { ...known, ...weights };
}

function readHead(name: string, info: Rows): TraceHead {
  const start = info.numbers("start_time")[0] ?? 0;
  const stop = info.numbers("end_time")[0] ?? 0;
  const tick = 1 / (info.numbers("ticks_per_second")[0] || 1e9);
  const counts: Record<string, number> = {};
  for (const table of ["containers", "states", "events", "variables", "links", "diagnostics"]) {
    counts[table] = Number(info.column(table)[0] ?? 0);
  }
  return { name, start, stop: stop > start ? stop : start + tick, tick, counts };
}

function readShape(head: TraceHead, tree: Rows, series: Rows): TraceShape {
  const containers = readContainers(tree);
  return { ...head, containers, byId: new Map(containers.map((container) => [container.id, container])), series: readSeries(series) };
}

function readContainers(rows: Rows): Container[] {
  const column = (name: string) => rows.column(name);
  const [ids, parents, names, types] = ["container_id", "parent_id", "name", "type"].map(column);
  const [paths, depths, leafs, leaves] = ["path", "depth", "is_leaf", "leaves"].map(column);
  const [orders, lasts] = ["preorder", "last_descendant"].map(column);
  const containers: Container[] = [];
  const byId = new Map<number, Container>();
  for (let row = 0; row < rows.length; row++) {
    const container: Container = {
      id: ids[row], parent: parents[row] ?? null, name: names[row], type: types[row], path: paths[row], depth: depths[row],
      isLeaf: leafs[row], leaves: leaves[row], preorder: orders[row], last: lasts[row], children: [],
    };
    containers.push(container);
    byId.set(container.id, container);
    if (container.parent !== null) byId.get(container.parent)?.children.push(container.id);
  }
  return containers;
}

function readSeries(rows: Rows): Map<number, Series[]> {
  const [kinds, ids, types] = ["kind", "container_id", "type"].map((name) => rows.column(name));
  const [entities, deepest] = ["entities", "deepest"].map((name) => rows.column(name));
  const found = new Map<number, Series[]>();
  for (let row = 0; row < rows.length; row++) {
    const list = found.get(ids[row]) ?? [];
    list.push({ kind: kinds[row], container: ids[row], type: types[row], entities: Number(entities[row]), deepest: Number(deepest[row]) });
    found.set(ids[row], list);
  }
  return found;
}

function readValues(rows: Rows) {
  const [names, colors, ticks] = [rows.texts("name"), rows.column("color"), rows.numbers("ticks")];
  const entries = Array.from({ length: rows.length }, (_, row) => ({ name: names[row], color: parseColor(colors[row]), ticks: ticks[row] }));
  const byTime = (a: { name: string; ticks: number }, b: { name: string; ticks: number }) => b.ticks - a.ticks || (a.name < b.name ? -1 : 1);
  const important = entries.length > PALETTE_SIZE ? entries.slice().sort(byTime) : entries;
  const base = palette(important.map((entry) => [entry.name, entry.color]));
  const times = new Map<string, number>();
  for (const entry of entries) times.set(entry.name, entry.ticks);
  const values = [...times].filter(([, ticks]) => ticks > 0).map(([name, ticks]) => ({ name, ticks })).sort(byTime);
  const { shown, of } = valueColors(base, values.map((value) => [value.name, value.ticks]));
  return { values, places: new Map(values.map((value, place) => [value.name, place])), shown, colors: of };
}
