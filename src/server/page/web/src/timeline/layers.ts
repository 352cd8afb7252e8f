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

/** A point of a variable: its mean over a column, and its range. */
export interface VariablePoint {
  mean: number;
  minimum: number;
  maximum: number;
}

export class VariableColumns {
  readonly rows = new Map<string, Map<number, VariablePoint>>();
  readonly most = new Map<string, number>();

  constructor(rows: Rows, readonly columns: Columns) {
    const [ids, types, slices] = [rows.numbers("container_id"), rows.texts("type"), rows.numbers("slice")];
    const [means, minima, maxima] = ["mean", "minimum", "maximum"].map((name) => rows.numbers(name));
    for (let row = 0; row < rows.length; row++) {
      const key = rowKey(ids[row], "variable", types[row]);
      let points = this.rows.get(key);
      if (!points) this.rows.set(key, (points = new Map()));
      points.set(slices[row], { mean: means[row], minimum: minima[row], maximum: maxima[row] });
      this.most.set(key, Math.max(this.most.get(key) ?? 0, means[row]));
    }
  }

  at(row: Row, column: number): VariablePoint | null {
    return this.rows.get(rowKey(row.container.id, "variable", row.type))?.get(column) ?? null;
  }

  mostOf(row: Row): number {
    return this.most.get(rowKey(row.container.id, "variable", row.type)) ?? 0;
  }

  /** Paints the variables of rows as filled steps, each row to its own largest mean. */
  paint(context: CanvasRenderingContext2D, rows: Row[], top: number, scale: number, color: string): void {
    context.fillStyle = color;
    for (const row of rows) {
      if (row.kind !== "variable") continue;
      const points = this.rows.get(rowKey(row.container.id, "variable", row.type));
      const most = this.mostOf(row);
      if (!points || !(most > 0)) continue;
      const room = (row.height - 6) * scale;
      const ground = (row.top - top + row.height - 3) * scale;
      for (const [column, point] of points) {
        const height = (Math.max(0, point.mean) / most) * room;
        context.fillRect(column, Math.round(ground - height), 1, Math.max(point.mean > 0 ? 1 : 0, Math.round(height)));
      }
    }
  }
}

export class EventColumns {
  readonly rows = new Map<number, Map<number, { count: number; values: string[] }>>();

  constructor(rows: Rows, readonly columns: Columns) {
    const [ids, slices, counts] = [rows.numbers("container_id"), rows.numbers("slice"), rows.numbers("events")];
    const [types, values] = [rows.texts("type"), rows.texts("value")];
    for (let row = 0; row < rows.length; row++) {
      let columns = this.rows.get(ids[row]);
      if (!columns) this.rows.set(ids[row], (columns = new Map()));
      let entry = columns.get(slices[row]);
      if (!entry) columns.set(slices[row], (entry = { count: 0, values: [] }));
      entry.count += Number(counts[row]);
      if (entry.values.length < 5) entry.values.push(`${types[row]}: ${values[row]}`);
    }
  }

  at(row: Row, column: number): { count: number; values: string[] } | null {
    return this.rows.get(row.container.id)?.get(column) ?? null;
  }

  /** Paints events as marks, higher where a column has more of them. */
  paint(context: CanvasRenderingContext2D, rows: Row[], top: number, scale: number, color: string): void {
    context.fillStyle = color;
    for (const row of rows) {
      if (row.kind !== "event") continue;
      const columns = this.rows.get(row.container.id);
      if (!columns) continue;
      const most = Math.max(...[...columns.values()].map((entry) => entry.count));
      const room = (row.height - 6) * scale;
      for (const [column, entry] of columns) {
        const height = Math.max(3, room * (Math.log1p(entry.count) / Math.log1p(most)));
        context.fillRect(column, Math.round((row.top - top + row.height - 3) * scale - height), 1, Math.round(height));
      }
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

