// What a place of the timeline says: the row that was answered for it, never anything in between.
import { amount, count, duration, instant, percent } from "../core/format";
import type { PageState } from "../core/store";
import type { Row } from "../core/tree";
import type { Columns } from "./columns";
import type { Span, StateColumns } from "./data";
import type { TimelineModel } from "./model";

/** Values that are named at most. */
const MOST_VALUES = 8;

export type Line = string | [string, string];

/** The column of an instant among those that were asked for. */
export function columnOf(columns: Columns, time: number): number {
  const at = Math.floor((time - columns.start) / columns.length + 1e-6);
  return Math.min(columns.width - 1, Math.max(0, at));
}

/** The lines of a tooltip, and of the cursor, for a row, a level of nesting and an instant. */
export function describe(model: TimelineModel, state: PageState, row: Row, level: number, time: number): Line[] {
  const head = row.kind === "query" ? `${row.container.name}, rows of SQL` : row.lifted ? `${row.container.name} (mean of ${row.container.leaves})` : row.container.name;
  const lines: Line[] = [head];
  const step = (state.stop - state.start) / 2000;
  const data = model.dataOf(row);
  if (data) {
    const exact = model.exact.of(row, data);
    const span = data.at(row, level, columnOf(data.columns, time)) ?? exact?.at(row, level, columnOf(data.columns, time));
    if (!span) return [...lines, [(exact && exact !== data) || model.isKnown(row) ? "no state" : "…", `${instant(time, step)} s`]];
    const from = data.columns.start + span.first * data.columns.length;
    const length = (span.last - span.first + 1) * data.columns.length;
    const [states, ...shares] = tellSpan(exact ?? data, exact?.at(row, level, span.first) ?? span);
    lines.push(...shares, [String(states), `${instant(from, step)} s + ${duration(length)}`]);
  } else if (row.kind === "variable" && model.variables) {
    const point = model.variables.at(row, columnOf(model.variables.columns, time));
    lines.push([row.type, point ? amount(point.mean) : model.isKnown(row) ? "no value" : "…"]);
    if (point && point.minimum !== point.maximum) lines.push(["from … to", `${amount(point.minimum)} … ${amount(point.maximum)}`]);
    lines.push(["at", `${instant(time, step)} s`]);
  } else if (row.kind === "event" && model.events) {
    const entry = model.events.at(row, columnOf(model.events.columns, time));
    lines.push([entry ? `${count(entry.count)} events` : model.isKnown(row) ? "no event" : "…", `${instant(time, step)} s`]);
    if (entry) lines.push(...entry.values);
  } else {
    lines.push([row.type || row.container.type, `${instant(time, step)} s`]);
  }
  return lines;
}

/** How many states a span holds, and the share of each value, largest first: those of the picture until they are known. */
function tellSpan(data: StateColumns, { records }: Span): Line[] {
  const { pixels, amounts } = data;
  if (!amounts) {
    const seen = records.slice().sort((a, b) => pixels[b] - pixels[a]);
    return ["…", ...seen.slice(0, MOST_VALUES).map((record): Line => [data.valueOf(record), "…"])];
  }
  const { share, states, exact } = amounts;
  const [first] = records;
  const byShare = records.slice().sort((a, b) => share[b] - share[a]);
  const lines: Line[] = [exact[first] ? "one state" : `${count(Number(states[first]))} states`];
  for (const record of byShare.slice(0, MOST_VALUES)) lines.push([data.valueOf(record), percent(share[record])]);
  if (byShare.length > MOST_VALUES) lines.push(`and ${byShare.length - MOST_VALUES} other values`);
  const covered = records.reduce((sum, record) => sum + share[record], 0);
  if (covered < 0.9995) lines.push(["in no state", percent(Math.max(0, 1 - covered))]);
  return lines;
}

/** The same as one sentence. */
export function sentence(lines: Line[]): string {
  return lines.map((line) => (typeof line === "string" ? line : `${line[0]} ${line[1]}`)).join(", ");
}
