// The rows of the timeline's states: how they are asked for, and where each is found again by row, level and column.
import levelSql from "../../../../../../sql/page/level_states.sql?raw";
import timelineSql from "../../../../../../sql/page/timeline.sql?raw";
import liftedSql from "../../../../../../sql/page/timeline_lifted.sql?raw";
import pictureSql from "../../../../../../sql/page/timeline_picture.sql?raw";
import type { Rows } from "../core/api";
import type { Codes } from "../core/vectors";
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

/** So many records of a span are sorted by insertion. */
const FEW = 32;

export class StateColumns {
  /** The values of records. */
  readonly values: Codes;
  readonly pixels: ArrayLike<number>;
  readonly first: ArrayLike<number>;
  /** How many columns more a span has. */
  private readonly further: ArrayLike<number>;
  /** Null where the pixels alone were asked for. */
  readonly amounts: Amounts | null;
  /** Where the records of each strip are; its spans are found when they are first looked at, most strips being out of sight. */
  private readonly runs: Map<string, [number, number][]>;
  private readonly strips = new Map<string, StripSpans>();
  /** Where each value is in a stack: the one with most time of all at the ground. */
  private readonly places: Int32Array;

  constructor(trace: TraceInfo, readonly rows: Rows, readonly columns: Columns, private readonly kind: "state" | "query" = "state") {
    this.values = rows.codes("value");
    this.pixels = rows.numbers("pixels");
    this.first = rows.numbers("first_column");
    this.further = rows.numbers("further_columns");
    this.amounts = rows.names.includes("ticks") ? amountsOf(rows) : null;
    const ranks = trace.places.size;
    this.places = Int32Array.from(this.values.names, (name) => trace.places.get(name) ?? ranks);
    this.runs = this.runsOfStrips();
  }

  /** The last column of the span that a record is of. */
  lastOf(record: number): number {
    return this.first[record] + this.further[record];
  }

  /** The value of a record. */
  valueOf(record: number): string {
    return this.values.names[this.values.codes[record]];
  }

  /** Rows of a strip follow each other; a strip may have several such runs. */
  private runsOfStrips(): Map<string, [number, number][]> {
    const [levels, ids, types] = [this.rows.numbers("level"), this.rows.numbers("container_id"), this.rows.codes("type")];
    const runs = new Map<string, [number, number][]>();
    for (let from = 0, to = 0; from < this.rows.length; from = to) {
      const [id, level, type] = [ids[from], levels[from], types.codes[from]];
      for (to = from + 1; to < this.rows.length && ids[to] === id && levels[to] === level && types.codes[to] === type; ) to++;
      const key = `${rowKey(id, this.kind, types.names[type])}\u0000${level}`;
      const known = runs.get(key);
      if (known) known.push([from, to]);
      else runs.set(key, [[from, to]]);
    }
    return runs;
  }

  private spansOf(runs: [number, number][]): StripSpans {
    const { first } = this;
    const order = new Int32Array(runs.reduce((sum, [from, to]) => sum + to - from, 0));
    let filled = 0;
    for (const [from, to] of runs) for (let record = from; record < to; record++) order[filled++] = record;
    let isSorted = true;
    for (let at = 1; at < order.length; at++) isSorted &&= first[order[at - 1]] <= first[order[at]];
    if (!isSorted) order.sort((one, other) => first[one] - first[other]);
    const starts: number[] = [];
    for (let from = 0, to = 0; from < order.length; from = to) {
      starts.push(from);
      for (to = from + 1; to < order.length && first[order[to]] === first[order[from]]; ) to++;
      if (to - from > 1) this.sortFew(order, from, to);
    }
    starts.push(order.length);
    return { order, starts: new Int32Array(starts) };
  }

  /** Sorts some of the records by the places of their values; where they are few, which is the most frequent case, without calls. */
  private sortFew(order: Int32Array, from: number, to: number): void {
    const { places } = this;
    const { codes } = this.values;
    if (to - from > FEW) {
      order.subarray(from, to).sort((one, other) => places[codes[one]] - places[codes[other]]);
      return;
    }
    for (let next = from + 1; next < to; next++) {
      const record = order[next];
      const place = places[codes[record]];
      let at = next;
      for (; at > from && places[codes[order[at - 1]]] > place; at--) order[at] = order[at - 1];
      order[at] = record;
    }
  }

  private strip(row: Row, level: number): StripSpans | undefined {
    const key = `${rowKey(row.container.id, this.kind, row.type)}\u0000${level}`;
    const [known, runs] = [this.strips.get(key), this.runs.get(key)];
    if (known || !runs) return known;
    const found = this.spansOf(runs);
    this.strips.set(key, found);
    return found;
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
    if (this.first[record] > column || this.lastOf(record) < column) return null;
    return { first: this.first[record], last: this.lastOf(record), records: [...strip.order.subarray(strip.starts[low], strip.starts[low + 1])] };
  }
}

function amountsOf(rows: Rows): Amounts {
  const [ticks, lengths] = [rows.numbers("ticks"), rows.numbers("length")];
  return { share: Float64Array.from(ticks, (time, row) => time / lengths[row]), states: rows.numbers("states"), exact: rows.column("exact") };
}
