// What the user did to the rows of the timeline: hid some, pinned some to the top, sorted siblings.
import firstSql from "../../../../../../sql/page/first_events.sql?raw";
import timeSql from "../../../../../../sql/page/value_time.sql?raw";
import type { Rows } from "./api";
import { filled } from "./sqltext";
import type { PageState } from "./store";
import type { Container, TraceHead, TraceInfo } from "./trace";

export interface Arrangement {
  hidden: Set<number>;
  pinned: number[];
  /** Containers with a row of the user's own SQL. */
  queried: number[];
  /** The order of siblings; null for that of the trace. */
  compare: ((one: Container, other: Container) => number) | null;
}

/** What a sort by time in a value begins with. */
const BY_VALUE = "value:";

/** What rows can be sorted by: a key of the state, and how it is called. */
export function sorts(trace: TraceInfo): [string, string][] {
  const values = trace.shown.map((value): [string, string] => [BY_VALUE + value, `by time in ${value}`]);
  return [["", "as in the trace"], ["name", "by name"], ["first", "by first event"], ...values];
}

/** The statement whose rows give each container its number to sort by; null where names or the trace do. */
export function orderStatement(trace: TraceHead, sort: string): string | null {
  if (sort === "first") return filled(firstSql, {});
  if (!sort.startsWith(BY_VALUE)) return null;
  return filled(timeSql, { value: sort.slice(BY_VALUE.length), start: trace.start, stop: trace.stop });
}

/** The numbers of a statement, by container. */
export function readOrder(rows: Rows): Map<number, number> {
  const [ids, numbers] = [rows.numbers("container_id"), rows.numbers("sort_by")];
  return new Map(Array.from({ length: rows.length }, (_, row) => [ids[row], Number(numbers[row])]));
}

/** Compares names, numbers in them by their value; made when it is needed, which takes a while. */
let names: Intl.Collator | null = null;

function compareNames(one: string, other: string): number {
  names ??= new Intl.Collator("en", { numeric: true });
  return names.compare(one, other);
}

/** The order of siblings; ties stay as in the trace. */
export function comparison(sort: string, numbers: Map<number, number> | null): Arrangement["compare"] {
  if (sort === "name") return (one, other) => compareNames(one.name, other.name) || one.preorder - other.preorder;
  if (!numbers) return null;
  const isTime = sort.startsWith(BY_VALUE);
  const last = isTime ? 0 : Infinity;
  const of = (container: Container) => numbers.get(container.id) ?? last;
  return (one, other) => {
    const [a, b] = [of(one), of(other)];
    return (a === b ? 0 : isTime ? b - a : a - b) || one.preorder - other.preorder;
  };
}

/** How the rows of a state are arranged, as far as numbers to sort by and containers of rows of SQL are known. */
export function arrangementOf(state: PageState, numbers: Map<number, number> | null, queried: number[]): Arrangement {
  return { hidden: new Set(state.hidden), pinned: state.pinned, queried, compare: comparison(state.sort, numbers) };
}

/** The change that hides containers, which are then no longer pinned. */
export function hiding(state: PageState, containers: number[]): Partial<PageState> {
  return { hidden: [...new Set([...state.hidden, ...containers])], pinned: state.pinned.filter((id) => !containers.includes(id)) };
}

/** The change that pins containers, or if all of them are pinned, unpins them. */
export function pinning(state: PageState, containers: number[]): Partial<PageState> {
  const isPinned = containers.every((id) => state.pinned.includes(id));
  const rest = state.pinned.filter((id) => !containers.includes(id));
  return { pinned: isPinned ? rest : [...rest, ...containers], hidden: state.hidden.filter((id) => !containers.includes(id)) };
}
