// The rows of the timeline's states: how they are asked for, and where each is found again by row, level and column.
import levelSql from "../../../../../../sql/page/level_states.sql?raw";
import timelineSql from "../../../../../../sql/page/timeline.sql?raw";
import liftedSql from "../../../../../../sql/page/timeline_lifted.sql?raw";
import pictureSql from "../../../../../../sql/page/timeline_picture.sql?raw";
import type { Rows } from "../core/api";
import { body, filled, Fragment } from "../core/sqltext";
import type { TraceInfo } from "../core/trace";
import { type Row, rowKey } from "../core/tree";
import type { Columns } from "./columns";
import { stripPixels } from "./strips";

/** The statement for the states of rows, with their exact times; null when none of them has states. */
export function statesSql(rows: Row[], columns: Columns, scale: number): string | null {
  const window = { start: columns.start, stop: columns.stop, width: columns.width };
  const parts: string[] = [];
  const stateRows = rows.filter((row) => row.kind === "state");
  const own = stateRows.filter((row) => !row.lifted);
  const deepest = Math.max(0, ...own.map((row) => row.levels));
  for (let level = 0; level < deepest; level++) {
    for (const last of [true, false]) {
      const shown = own.filter((row) => row.levels > level && (row.levels === level + 1) === last);
      const states = new Fragment(last ? "state_segments" : `(${filled(body(levelSql), { level })})`);
      for (const [height, containers] of byHeight(shown, level, scale)) {
        parts.push(filled(parts.length ? body(timelineSql) : timelineSql, { level, states, containers, height, ...window }));
      }
    }
  }
  const lifted = stateRows.filter((row) => row.lifted);
  for (const depth of [...new Set(lifted.map((row) => row.container.depth))].sort()) {
    const states = new Fragment("state_segments");
    for (const [height, containers] of byHeight(lifted.filter((row) => row.container.depth === depth), 0, scale)) {
      parts.push(filled(parts.length ? body(liftedSql) : liftedSql, { level: 0, depth, states, containers, height, ...window }));
    }
  }
  return parts.length > 0 ? parts.join("\nUNION ALL\n") : null;
}

/** Containers of rows whose strips of a level are equally high. */
function byHeight(rows: Row[], level: number, scale: number): Map<number, number[]> {
  const found = new Map<number, Set<number>>();
  for (const row of rows) {
    const height = stripPixels(row, level, scale);
    found.set(height, (found.get(height) ?? new Set()).add(row.container.id));
  }
  return new Map(Array.from(found, ([height, containers]) => [height, [...containers]]));
}

/** The statement for what is painted of rows: their pixels alone. */
export function pictureStatement(rows: Row[], columns: Columns, scale: number): string | null {
  const sql = statesSql(rows, columns, scale);
  return sql && filled(pictureSql, { rows: new Fragment(sql) });
}

/** A span of columns in one strip: its records are the values that occur in it. */
export interface Span {
  first: number;
  last: number;
  records: number[];
}

/** The spans of one strip, by column. */
interface StripSpans {
  /** Records in the order of columns, then of values. */
  order: Int32Array;
  /** Where in `order` each span begins, and the end of the last. */
  starts: Int32Array;
}

/** The exact amounts of records. */
interface Amounts {
  share: ArrayLike<number>;
  states: ArrayLike<number>;
  exact: ArrayLike<boolean>;
}

export class StateColumns {
  readonly value: ArrayLike<string>;
  readonly pixels: ArrayLike<number>;
  readonly first: ArrayLike<number>;
  readonly last: ArrayLike<number>;
  /** Null where the pixels alone were asked for. */
  readonly amounts: Amounts | null;
  private readonly strips = new Map<string, StripSpans>();

  constructor(trace: TraceInfo, readonly rows: Rows, readonly columns: Columns, private readonly kind: "state" | "query" = "state") {
    this.value = rows.texts("value");
    this.pixels = rows.numbers("pixels");
    this.first = rows.numbers("first_column");
    const further = rows.numbers("further_columns");
    const last = new Int32Array(rows.length);
    for (let row = 0; row < last.length; row++) last[row] = this.first[row] + further[row];
    this.last = last;
    this.amounts = rows.names.includes("ticks") ? amountsOf(rows) : null;
    this.index(trace);
  }

  private index(trace: TraceInfo): void {
    const [levels, ids, types] = [this.rows.numbers("level"), this.rows.numbers("container_id"), this.rows.texts("type")];
    const records = new Map<string, number[]>();
    let known: number[] = [];
    // Rows of a strip follow each other.
    for (let row = 0; row < this.rows.length; row++) {
      if (row === 0 || ids[row] !== ids[row - 1] || levels[row] !== levels[row - 1] || types[row] !== types[row - 1]) {
        const key = `${rowKey(ids[row], this.kind, types[row])}\u0000${levels[row]}`;
        known = records.get(key) ?? [];
        records.set(key, known);
      }
      known.push(row);
    }
    const places = this.placesOf(trace);
    for (const [key, found] of records) this.strips.set(key, this.spansOf(found, places));
  }

  /** Where the value of each record is in a stack: the one with most time of all at the ground. */
  private placesOf(trace: TraceInfo): Int32Array {
    const ranks = trace.places.size;
    const places = new Int32Array(this.rows.length);
    let [value, place] = ["", ranks];
    for (let row = 0; row < places.length; row++) {
      if (row === 0 || this.value[row] !== value) [value, place] = [this.value[row], trace.places.get(this.value[row]) ?? ranks];
      places[row] = place;
    }
    return places;
  }

  private spansOf(records: number[], places: Int32Array): StripSpans {
    const { first } = this;
    const order = new Int32Array(records);
    let isSorted = true;
    for (let at = 1; at < order.length; at++) isSorted &&= first[order[at - 1]] <= first[order[at]];
    if (!isSorted) order.sort((one, other) => first[one] - first[other]);
    const starts: number[] = [];
    for (let from = 0, to = 0; from < order.length; from = to) {
      starts.push(from);
      for (to = from + 1; to < order.length && first[order[to]] === first[order[from]]; ) to++;
      if (to - from > 1) sortFew(order.subarray(from, to), places);
    }
    starts.push(order.length);
    return { order, starts: new Int32Array(starts) };
  }

  private strip(row: Row, level: number): StripSpans | undefined {
    return this.strips.get(`${rowKey(row.container.id, this.kind, row.type)}\u0000${level}`);
  }

  /** Walks the spans of a strip; the records of each are order[from .. to], the value with most time of all first. */
  eachSpan(row: Row, level: number, visit: (order: Int32Array, from: number, to: number) => void): void {
    const strip = this.strip(row, level);
    if (!strip) return;
    for (let at = 0; at + 1 < strip.starts.length; at++) visit(strip.order, strip.starts[at], strip.starts[at + 1]);
  }

  /** What a column of a strip holds; null where there is no state. */
  at(row: Row, level: number, column: number): Span | null {
    const strip = this.strip(row, level);
    if (!strip) return null;
    let [low, high] = [0, strip.starts.length - 2];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.first[strip.order[strip.starts[middle]]] <= column) low = middle;
      else high = middle - 1;
    }
    if (high < 0) return null;
    const record = strip.order[strip.starts[low]];
    if (this.first[record] > column || this.last[record] < column) return null;
    return { first: this.first[record], last: this.last[record], records: [...strip.order.subarray(strip.starts[low], strip.starts[low + 1])] };
  }
}

/** Sorts records by their places; where they are few, which is the most frequent case, without calls. */
function sortFew(records: Int32Array, places: Int32Array): void {
  if (records.length > 32) {
    records.sort((one, other) => places[one] - places[other]);
    return;
  }
  for (let next = 1; next < records.length; next++) {
    const record = records[next];
    let at = next;
    for (; at > 0 && places[records[at - 1]] > places[record]; at--) records[at] = records[at - 1];
    records[at] = record;
  }
}

function amountsOf(rows: Rows): Amounts {
  const [ticks, lengths] = [rows.numbers("ticks"), rows.numbers("length")];
  return { share: Float64Array.from(ticks, (time, row) => time / lengths[row]), states: rows.numbers("states"), exact: rows.column("exact") };
}
