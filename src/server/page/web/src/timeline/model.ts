// What the timeline holds between two questions: its rows, the columns that were answered, and the bitmaps made of them.
import { parseColor, type Color, rgb } from "../core/color";
import type { PageState } from "../core/store";
import { colorOf, type TraceInfo } from "../core/trace";
import type { Row } from "../core/tree";
import type { StateColumns } from "./data";
import type { EventColumns, PathStep, TimelineLink, VariableColumns } from "./layers";
import { paintStates, stripPlace } from "./paint";

export interface Bitmap {
  canvas: HTMLCanvasElement;
  /** The range of time that it shows. */
  start: number;
  stop: number;
  /** Its upper edge and its height among the rows, in pixels of the page. */
  top: number;
  height: number;
}

export class TimelineModel {
  rows: Row[] = [];
  /** The first row of each container. */
  firstRows = new Map<number, Row>();
  /** The rows that were asked for. */
  asked: Row[] = [];
  states: StateColumns | null = null;
  variables: VariableColumns | null = null;
  events: EventColumns | null = null;
  links: TimelineLink[] | null = [];
  path: PathStep[] = [];
  stateBitmap: Bitmap | null = null;
  otherBitmap: Bitmap | null = null;

  setRows(rows: Row[]): void {
    this.rows = rows;
    this.firstRows = new Map();
    for (const row of rows) if (!this.firstRows.has(row.container.id)) this.firstRows.set(row.container.id, row);
  }

  height(): number {
    const last = this.rows[this.rows.length - 1];
    return last ? last.top + last.height : 0;
  }

  /** The row at a height. */
  rowAt(y: number): Row | null {
    let [low, high] = [0, this.rows.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.rows[middle].top <= y) low = middle;
      else high = middle - 1;
    }
    const row = this.rows[low];
    return row && y >= row.top && y < row.top + row.height ? row : null;
  }

  levelAt(row: Row, y: number): number {
    for (let level = row.levels - 1; level >= 0; level--) if (y - row.top >= stripPlace(row, level).top) return level;
    return 0;
  }

  paintStates(trace: TraceInfo, state: PageState, scale: number, background: string): void {
    const data = this.states;
    if (!data) {
      this.stateBitmap = null;
      return;
    }
    const fades = fading(trace, state);
    const canvas = paintStates(data, this.asked, scale, (value, row) => ({ color: colorOf(trace, value), faded: fades(value, row) }), toColor(background));
    this.stateBitmap = canvas && { canvas, start: data.columns.start, stop: data.columns.stop, ...this.place() };
  }

  paintOthers(scale: number, color: string): void {
    const columns = (this.variables ?? this.events)?.columns;
    if (!columns || this.asked.length === 0) {
      this.otherBitmap = null;
      return;
    }
    const place = this.place();
    const canvas = document.createElement("canvas");
    canvas.width = columns.width;
    canvas.height = Math.max(1, Math.round(place.height * scale));
    const context = canvas.getContext("2d")!;
    this.variables?.paint(context, this.asked, place.top, scale, color);
    this.events?.paint(context, this.asked, place.top, scale, color);
    this.otherBitmap = { canvas, start: columns.start, stop: columns.stop, ...place };
  }

  private place(): { top: number; height: number } {
    const [first, last] = [this.asked[0], this.asked[this.asked.length - 1]];
    return { top: first.top, height: last.top + last.height - first.top };
  }
}

/** Which values of which rows fade: those that are not isolated, not selected or not found. */
export function fading(trace: TraceInfo, state: PageState): (value: string, row: Row) => boolean {
  const values = new Set(state.selection.values);
  const found = matcher(state.search);
  const names = new Map<string, boolean>();
  const valueFound = (value: string) => {
    let hit = names.get(value);
    if (hit === undefined) names.set(value, (hit = found(value)));
    return hit;
  };
  return (value, row) => {
    if (values.size > 0 && !values.has(value)) return true;
    return state.search !== "" && !valueFound(value) && !rowFound(trace, row, found);
  };
}

/** Whether a row, or a container that it stands for, has a name that was searched. */
export function rowFound(trace: TraceInfo, row: Row, found: (text: string) => boolean): boolean {
  if (found(row.container.name)) return true;
  if (!row.lifted) return false;
  for (let place = row.container.preorder; place <= row.container.last; place++) {
    if (found(trace.containers[place].name)) return true;
  }
  return false;
}

/** Whether a text contains what is searched, letters of both cases alike. */
export function matcher(search: string): (text: string) => boolean {
  const wanted = search.toLowerCase();
  return (text) => wanted !== "" && text.toLowerCase().includes(wanted);
}

export function toColor(text: string): Color {
  const match = /rgb\((\d+), ?(\d+), ?(\d+)\)/.exec(text);
  if (match) return rgb(Number(match[1]), Number(match[2]), Number(match[3]));
  return parseColor(text) ?? rgb(255, 255, 255);
}
