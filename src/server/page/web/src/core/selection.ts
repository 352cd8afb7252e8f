// The selection as views use it: the time that counts, and the conditions that SQL gets.
import belowSql from "../../../../../../sql/page/below.sql?raw";
import { body, filled, Fragment, literal } from "./sqltext";
import type { PageState } from "./store";

/** The selected time, or the window. */
export function timeOf(state: PageState): [number, number] {
  const { start, stop } = state.selection;
  return start !== null && stop !== null ? [start, stop] : [state.start, state.stop];
}

/** A condition on container_id (or another column), for the selected containers and all below them. */
export function containersIn(state: PageState, column = "container_id"): string | null {
  const { containers } = state.selection;
  return containers.length === 0 ? null : `${column} IN (${filled(body(belowSql), { containers })})`;
}

export function valuesIn(state: PageState, column = "value"): string | null {
  return state.selection.values.length === 0 ? null : `${column} IN ${literal(state.selection.values)}`;
}

/** Conditions as one. */
export function all(...conditions: (string | null)[]): Fragment {
  const given = conditions.filter((condition) => condition !== null);
  return new Fragment(given.length === 0 ? "TRUE" : given.join(" AND "));
}

/** What of the state a view that filters by the selection depends on. */
export function concernsSelection(changed: Set<keyof PageState> | null): boolean {
  return !changed || (["trace", "start", "stop", "selection"] as const).some((name) => changed.has(name));
}
