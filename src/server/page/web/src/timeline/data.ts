// The rows of the timeline's states: how they are asked for, and where each is found again by row, level and column.
import levelSql from "../../../../../../sql/page/level_states.sql?raw";
import timelineSql from "../../../../../../sql/page/timeline.sql?raw";
import liftedSql from "../../../../../../sql/page/timeline_lifted.sql?raw";
import type { Rows } from "../core/api";
import { body, filled, Fragment } from "../core/sqltext";
import type { TraceInfo } from "../core/trace";
import { MAX_LEVELS, type Row, rowKey } from "../core/tree";
import type { Columns } from "./columns";

/** More types of states than a trace has: what tells strips apart is one number. */
const MOST_TYPES = 1 << 20;

/** The statement for the states of rows; null when none of them has states. */
export function statesSql(rows: Row[], columns: Columns): string | null {
  const window = { start: columns.start, stop: columns.stop, width: columns.width };
  const parts: string[] = [];
  const stateRows = rows.filter((row) => row.kind === "state");
  const own = stateRows.filter((row) => !row.lifted);
  const deepest = Math.max(0, ...own.map((row) => row.levels));
  for (let level = 0; level < deepest; level++) {
    const shown = own.filter((row) => row.levels > level);
    const isLast = (row: Row) => row.levels === level + 1;
    for (const last of [true, false]) {
      const containers = [...new Set(shown.filter((row) => isLast(row) === last).map((row) => row.container.id))];
      if (containers.length === 0) continue;
      const states = new Fragment(last ? "state_segments" : `(${filled(body(levelSql), { level })})`);
      parts.push(filled(parts.length ? body(timelineSql) : timelineSql, { level, states, containers, ...window }));
    }
  }
  const lifted = stateRows.filter((row) => row.lifted);
  for (const depth of [...new Set(lifted.map((row) => row.container.depth))].sort()) {
    const containers = [...new Set(lifted.filter((row) => row.container.depth === depth).map((row) => row.container.id))];
    const states = new Fragment("state_segments");
    parts.push(filled(parts.length ? body(liftedSql) : liftedSql, { level: 0, depth, states, containers, ...window }));
  }
  return parts.length > 0 ? parts.join("\nUNION ALL\n") : null;
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

export class StateColumns {
  readonly value: ArrayLike<string>;
  readonly share: ArrayLike<number>;
  readonly states: ArrayLike<number>;
  readonly exact: ArrayLike<boolean>;
  readonly first: ArrayLike<number>;
  readonly last: ArrayLike<number>;
  private readonly strips = new Map<string, StripSpans>();

  constructor(trace: TraceInfo, readonly rows: Rows, readonly columns: Columns, private readonly kind: "state" | "query" = "state") {
    this.value = rows.texts("value");
    const [ticks, lengths] = [rows.numbers("ticks"), rows.numbers("length")];
    this.share = Float64Array.from(ticks, (time, row) => time / lengths[row]);
    this.states = rows.numbers("states");
    this.exact = rows.column("exact");
    this.first = rows.numbers("first_column");
    const further = rows.numbers("further_columns");
    this.last = Int32Array.from(this.first, (column, row) => column + further[row]);
    this.index(trace);
  }

  private index(trace: TraceInfo): void {
    const [levels, ids, types] = [this.rows.numbers("level"), this.rows.numbers("container_id"), this.rows.texts("type")];
    const buckets = new Map<number, { key: string; places: number[] }>();
    const typeNumbers = new Map<string, number>();
    const radix = Math.max(1, this.rows.length);
    const ranks = trace.places.size + 1;
    for (let row = 0; row < this.rows.length; row++) {
      let type = typeNumbers.get(types[row]);
      if (type === undefined) typeNumbers.set(types[row], (type = typeNumbers.size));
      const number = (ids[row] * MOST_TYPES + type) * MAX_LEVELS + levels[row];
      let bucket = buckets.get(number);
      if (!bucket) buckets.set(number, (bucket = { key: `${rowKey(ids[row], this.kind, types[row])}\u0000${levels[row]}`, places: [] }));
      const place = trace.places.get(this.value[row]) ?? ranks - 1;
      bucket.places.push((this.first[row] * ranks + place) * radix + row);
    }
    for (const { key, places } of buckets.values()) {
      const sorted = Float64Array.from(places).sort();
      const order = Int32Array.from(sorted, (entry) => entry % radix);
      const starts: number[] = [];
      for (let at = 0; at < order.length; at++) {
        if (at === 0 || this.first[order[at]] !== this.first[order[at - 1]]) starts.push(at);
      }
      starts.push(order.length);
      this.strips.set(key, { order, starts: Int32Array.from(starts) });
    }
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
