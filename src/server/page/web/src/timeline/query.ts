// Rows of the user's own SQL as a group of rows: any statement with container_id and times. One that came with a link runs
// only when the user says so.
import columnsSql from "../../../../../../sql/page/row_columns.sql?raw";
import containersSql from "../../../../../../sql/page/row_containers.sql?raw";
import rowsSql from "../../../../../../sql/page/rows.sql?raw";
import type { Rows } from "../core/api";
import type { Color } from "../core/color";
import { palette } from "../core/palette";
import { filled, Fragment } from "../core/sqltext";
import type { TraceInfo } from "../core/trace";
import type { Columns } from "./columns";

/** Containers that get a row at most. */
const MOST_CONTAINERS = 100;

const allowed = new Set<string>();

/** Lets a statement run: the user has seen it and asked for its rows. */
export function allow(sql: string): void {
  allowed.add(sql);
}

export function isAllowed(sql: string): boolean {
  return allowed.has(sql);
}

/** Whether columns of a result can become rows of the timeline. */
export function fitsTimeline(names: string[]): boolean {
  const has = (...wanted: string[]) => wanted.every((name) => names.includes(name));
  return has("container_id") && (has("start_time", "end_time") || has("start_tick", "end_tick"));
}

/** A statement, the containers that its rows belong to, and how its columns are read. */
export interface QueryGroup {
  sql: string;
  trace: string;
  containers: number[];
  /** Containers that have no row because they are too many. */
  left: number;
  value: string;
  times: string;
}

type Ask = (layer: string, sql: string) => Promise<Rows | null>;

/** Finds out what a statement gives; null when a newer question took its place or it failed. */
export async function readGroup(sql: string, trace: TraceInfo, ask: Ask): Promise<QueryGroup | null> {
  const rows = new Fragment(sql);
  const columns = await ask("columns of the SQL rows", filled(columnsSql, { rows }));
  if (!columns) return null;
  if (!fitsTimeline(columns.names)) throw new Error("Rows of the timeline need container_id and start_time and end_time, or start_tick and end_tick");
  const containers = await ask("containers of the SQL rows", filled(containersSql, { rows }));
  if (!containers) return null;
  const ids = Array.from(containers.numbers("container_id"));
  return { sql, trace: trace.name, containers: ids.slice(0, MOST_CONTAINERS), left: Math.max(0, ids.length - MOST_CONTAINERS), value: valueOf(columns), times: timesOf(columns.names, trace) };
}

/** What a row is colored by: its value, else its first text that is no name of a container. */
function valueOf(columns: Rows): string {
  const text = columns.names.find((name, at) => columns.types[at] === "text" && !/^(container|type|path)$/.test(name));
  const name = columns.names.includes("value") ? "value" : text;
  return name === undefined ? "'SQL'" : `CAST("${name.replaceAll('"', '""')}" AS VARCHAR)`;
}

/** Seconds, with ticks where the statement has them, so that times are exact. */
function timesOf(names: string[], trace: TraceInfo): string {
  const perSecond = Math.round(1 / trace.tick);
  const seconds = names.includes("start_time") ? "start_time, end_time" : `start_tick / ${perSecond}.0 AS start_time, end_tick / ${perSecond}.0 AS end_time`;
  return names.includes("start_tick") && names.includes("end_tick") ? `${seconds}, start_tick, end_tick` : seconds;
}

/** The statement for the columns of a window. */
export function groupStatement(group: QueryGroup, columns: Columns, height: number): string {
  const { start, stop, width } = columns;
  const parts = { value: new Fragment(group.value), times: new Fragment(group.times), rows: new Fragment(group.sql) };
  return filled(rowsSql, { ...parts, containers: group.containers, start, stop, width, height });
}

/** Colors of values: those of the trace, and for others one of the palette. */
export function groupColors(trace: TraceInfo, values: ArrayLike<string>): Map<string, Color> {
  const names = [...new Set(Array.from(values))].sort();
  return palette(names.map((name) => [name, trace.colors.get(name) ?? null]));
}
