// What lies over the states: variables and events as a bitmap of the same columns, links and the critical path as lines.
import criticalSql from "../../../../../../sql/page/critical_path.sql?raw";
import eventsSql from "../../../../../../sql/page/events.sql?raw";
import linksSql from "../../../../../../sql/page/links.sql?raw";
import variablesSql from "../../../../../../sql/page/variables.sql?raw";
import type { Rows } from "../core/api";
import { filled } from "../core/sqltext";
import type { TraceInfo } from "../core/trace";
import { type Row, rowKey, rowOfContainer } from "../core/tree";
import type { Columns } from "./columns";

/** Links that are drawn one by one at most. */
export const MOST_LINKS = 600;

export function linkStatement(window: [number, number]): string {
  return filled(linksSql, { start: window[0], stop: window[1], most: MOST_LINKS + 1 });
}

export function eventStatement(rows: Row[], columns: Columns): string | null {
  const containers = rows.filter((row) => row.kind === "event").map((row) => row.container.id);
  if (containers.length === 0) return null;
  return filled(eventsSql, { containers, start: columns.start, stop: columns.stop, width: columns.width });
}

export function variableStatement(rows: Row[], columns: Columns): string | null {
  const shown = rows.filter((row) => row.kind === "variable");
  if (shown.length === 0) return null;
  const containers = [...new Set(shown.map((row) => row.container.id))];
  const lifted = [...new Set(shown.filter((row) => row.lifted).map((row) => row.container.id))];
  const types = [...new Set(shown.map((row) => row.type))];
  return filled(variablesSql, { containers, lifted, types, start: columns.start, stop: columns.stop, width: columns.width });
}

export function pathStatement(window: [number, number]): string {
  return filled(criticalSql, { start: window[0], stop: window[1] });
}

/** A bitmap in the making, a pixel per column. */
export interface Pixels {
  data: Uint32Array;
  width: number;
  height: number;
}

/** Paints a part of a column, as far as it is within the bitmap. */
function paintColumn({ data, width, height }: Pixels, column: number, top: number, tall: number, color: number): void {
  const end = Math.min(height, top + tall);
  for (let y = Math.max(0, top); y < end; y++) data[y * width + column] = color;
}

/** Rows of an answer by strip and column: the place of the first row of each, or NONE. Those of a column follow each other. */
const NONE = -1;

function placesOf<Key>(length: number, width: number, keyOf: (row: number) => Key, slices: ArrayLike<number>): Map<Key, Int32Array> {
  const found = new Map<Key, Int32Array>();
  for (let row = length - 1; row >= 0; row--) {
    const key = keyOf(row);
    let places = found.get(key);
    if (!places) found.set(key, (places = new Int32Array(width).fill(NONE)));
    places[slices[row]] = row;
  }
  return found;
}

/** A point of a variable: its mean over a column, and its range. */
export interface VariablePoint {
  mean: number;
  minimum: number;
  maximum: number;
}

export class VariableColumns {
  private readonly places: Map<string, Int32Array>;
  private readonly most = new Map<string, number>();
  private readonly means: ArrayLike<number>;

  constructor(private readonly rows: Rows, readonly columns: Columns) {
    const [ids, types] = [rows.numbers("container_id"), rows.codes("type")];
    this.means = rows.numbers("mean");
    let [id, type, key] = [NONE, NONE, ""];
    const keyOf = (row: number) => {
      const code = types.codes[row];
      if (ids[row] !== id || code !== type) [id, type, key] = [ids[row], code, rowKey(ids[row], "variable", types.names[code])];
      return key;
    };
    this.places = placesOf(rows.length, columns.width, keyOf, rows.numbers("slice"));
    for (const [name, places] of this.places) this.most.set(name, places.reduce((most, row) => (row === NONE ? most : Math.max(most, this.means[row])), 0));
  }

  at(row: Row, column: number): VariablePoint | null {
    const place = this.places.get(rowKey(row.container.id, "variable", row.type))?.[column] ?? NONE;
    if (place === NONE) return null;
    return { mean: this.means[place], minimum: this.rows.numbers("minimum")[place], maximum: this.rows.numbers("maximum")[place] };
  }

  mostOf(row: Row): number {
    return this.most.get(rowKey(row.container.id, "variable", row.type)) ?? 0;
  }

  /** Paints the variables of rows as filled steps, each row to its own largest mean. */
  paint(pixels: Pixels, rows: Row[], top: number, scale: number, color: number): void {
    for (const row of rows) {
      if (row.kind !== "variable") continue;
      const places = this.places.get(rowKey(row.container.id, "variable", row.type));
      const most = this.mostOf(row);
      if (!places || !(most > 0)) continue;
      const room = (row.height - 6) * scale;
      const ground = (row.top - top + row.height - 3) * scale;
      places.forEach((place, column) => {
        if (place === NONE) return;
        const mean = this.means[place];
        const height = (Math.max(0, mean) / most) * room;
        paintColumn(pixels, column, Math.round(ground - height), Math.max(mean > 0 ? 1 : 0, Math.round(height)), color);
      });
    }
  }
}

/** Values that are named of the events of a column. */
const MOST_VALUES = 5;

export class EventColumns {
  private readonly places: Map<number, Int32Array>;
  private readonly counts = new Map<number, Float64Array>();

  constructor(private readonly rows: Rows, readonly columns: Columns) {
    const ids = rows.numbers("container_id");
    this.places = placesOf(rows.length, columns.width, (row) => ids[row], rows.numbers("slice"));
  }

  /** The rows of a column, from its first on. */
  private end(place: number): number {
    const [ids, slices] = [this.rows.numbers("container_id"), this.rows.numbers("slice")];
    let end = place + 1;
    while (end < this.rows.length && ids[end] === ids[place] && slices[end] === slices[place]) end++;
    return end;
  }

  at(row: Row, column: number): { count: number; values: string[] } | null {
    const place = this.places.get(row.container.id)?.[column] ?? NONE;
    if (place === NONE) return null;
    const [types, values] = [this.rows.texts("type"), this.rows.texts("value")];
    const named = Array.from({ length: Math.min(MOST_VALUES, this.end(place) - place) }, (_, at) => `${types[place + at]}: ${values[place + at]}`);
    return { count: this.countsOf(row.container.id)[column], values: named };
  }

  /** How many events each column of a container has. */
  private countsOf(container: number): Float64Array {
    let counts = this.counts.get(container);
    if (counts) return counts;
    counts = new Float64Array(this.columns.width);
    const [ids, slices, events] = [this.rows.numbers("container_id"), this.rows.numbers("slice"), this.rows.numbers("events")];
    const first = this.places.get(container)?.find((place) => place !== NONE) ?? this.rows.length;
    for (let row = first; row < this.rows.length && ids[row] === container; row++) counts[slices[row]] += Number(events[row]);
    this.counts.set(container, counts);
    return counts;
  }

  /** Paints events as marks, higher where a column has more of them. */
  paint(pixels: Pixels, rows: Row[], top: number, scale: number, color: number): void {
    for (const row of rows) {
      if (row.kind !== "event") continue;
      if (!this.places.has(row.container.id)) continue;
      const counts = this.countsOf(row.container.id);
      const most = Math.log1p(counts.reduce((one, other) => Math.max(one, other), 0));
      const room = (row.height - 6) * scale;
      const ground = (row.top - top + row.height - 3) * scale;
      counts.forEach((count, column) => {
        if (count === 0) return;
        const height = Math.max(3, room * (Math.log1p(count) / most));
        paintColumn(pixels, column, Math.round(ground - height), Math.round(height), color);
      });
    }
  }
}

export interface TimelineLink {
  source: number;
  target: number;
  names: [string, string];
  type: string;
  value: string;
  start: number;
  stop: number;
  volume: number | null;
}

/** The links of a result; null when they are too many to be drawn. */
export function readLinks(rows: Rows): TimelineLink[] | null {
  if (rows.length > MOST_LINKS) return null;
  const column = (name: string) => rows.column(name);
  return Array.from({ length: rows.length }, (_, row) => ({
    source: column("source_id")[row], target: column("target_id")[row], names: [column("source")[row], column("target")[row]],
    type: column("type")[row], value: column("value")[row], start: column("start_time")[row], stop: column("end_time")[row],
    volume: column("volume")[row] ?? null,
  }));
}

export interface PathStep {
  kind: string;
  container: number;
  target: number | null;
  value: string | null;
  start: number;
  stop: number;
}

export function readPath(rows: Rows): PathStep[] {
  const column = (name: string) => rows.column(name);
  return Array.from({ length: rows.length }, (_, row) => ({
    kind: column("kind")[row], container: column("container_id")[row], target: column("target_id")[row] ?? null,
    value: column("value")[row] ?? null, start: column("start_time")[row], stop: column("end_time")[row],
  }));
}

/** Where lines run on the screen: the middle of the row on which a container is. */
export function middleOf(trace: TraceInfo, rows: Map<number, Row>, id: number, scroll: number): number | null {
  const row = rowOfContainer(trace, rows, id);
  return row ? row.top + row.height / 2 - (row.pinned ? 0 : scroll) : null;
}

/** Draws an arrow. */
export function arrow(context: CanvasRenderingContext2D, from: [number, number], to: [number, number], scale: number): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const size = 5 * scale;
  context.beginPath();
  context.moveTo(...to);
  context.lineTo(to[0] - size * Math.cos(angle - 0.4), to[1] - size * Math.sin(angle - 0.4));
  context.lineTo(to[0] - size * Math.cos(angle + 0.4), to[1] - size * Math.sin(angle + 0.4));
  context.fill();
}

