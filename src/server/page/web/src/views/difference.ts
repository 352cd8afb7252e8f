// The map of the difference between two runs: a row per container, a column per slice of both, colored by how much more or
// less of the time the other run is in a value.
import differenceSql from "../../../../../../sql/page/difference.sql?raw";
import type { Rows } from "../core/api";
import { type Color, css, rgb, toward } from "../core/color";
import { h } from "../core/dom";
import { percent } from "../core/format";
import { type Item, Picture } from "../core/picture";
import { filled } from "../core/sqltext";
import type { TraceInfo } from "../core/trace";
import type { Page } from "../core/view";
import type { WindowControl } from "../timeline/gestures";
import { toColor } from "../timeline/model";

export const SLICES = 60;
/** Rows that can be told apart. */
const MOST_ROWS = 80;
const LABELS = 150;
const HEAD = 22;
const MORE: [Color, Color] = [rgb(178, 60, 0), rgb(255, 150, 70)];
const LESS: [Color, Color] = [rgb(20, 90, 170), rgb(90, 175, 255)];

/** A container in a slice: its share of time in the value in both runs; null where a run does not have the container. */
export interface Cell {
  path: string;
  slice: number;
  left: number | null;
  right: number | null;
  difference: number | null;
}

/** How containers of the runs are matched: by path where any is in both, else by name, else by position. */
export function matching(one: TraceInfo, other: TraceInfo): string {
  for (const by of ["path", "name"] as const) {
    const names = new Set(one.containers.filter((container) => one.series.has(container.id)).map((container) => container[by]));
    if (other.containers.some((container) => other.series.has(container.id) && names.has(container[by]))) return by;
  }
  return "position";
}

/** The statement of the map; the depth at which the first run has few enough containers, or none. */
export function differenceStatement(one: TraceInfo, other: TraceInfo): string {
  const isMuch = one.containers.filter((container) => one.series.has(container.id)).length > MOST_ROWS;
  const depths = one.containers.reduce((counts, { depth }) => counts.set(depth, (counts.get(depth) ?? 0) + 1), new Map<number, number>());
  const fitting = [...depths].filter(([, containers]) => containers <= MOST_ROWS).map(([depth]) => depth);
  return filled(differenceSql, { left: one.name, right: other.name, slices: SLICES, depth: isMuch ? Math.max(0, ...fitting) : null, by: matching(one, other) });
}

/** The values of a map, those that differ most first. */
export function valuesOf(rows: Rows): string[] {
  const sums = new Map<string, number>();
  const [values, differences] = [rows.texts("value"), rows.column("difference")];
  for (let row = 0; row < rows.length; row++) sums.set(values[row], (sums.get(values[row]) ?? 0) + Math.abs(differences[row] ?? 0));
  return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
}

export class DifferenceMap {
  readonly element: HTMLElement;
  readonly picture: Picture;
  private trace: TraceInfo | null = null;
  private paths: string[] = [];
  cells: Cell[] = [];

  constructor(private readonly page: Page, private readonly control: WindowControl) {
    this.picture = new Picture(page, "Map of the difference, containers as rows, slices as columns", (context) => this.draw(context), () => this.picture.show(this.items()));
    this.element = h("div", { class: "difference-map" }, this.picture.element);
  }

  /** Shows one value of the rows. */
  show(trace: TraceInfo, rows: Rows | null, value: string): void {
    this.trace = trace;
    this.cells = rows ? cellsOf(rows, value) : [];
    const order = new Map(trace.containers.map((container) => [container.path, container.preorder]));
    this.paths = [...new Set(rows ? Array.from(rows.texts("path")) : [])].sort((a, b) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity) || (a < b ? -1 : 1));
    this.picture.measure();
    this.picture.show(this.items());
  }

  most(): number {
    return Math.max(0, ...this.cells.map((cell) => Math.abs(cell.difference ?? 0)));
  }

  /** When a slice begins in this run. */
  timeOf(slice: number): number {
    const { start, stop } = this.trace ?? { start: 0, stop: 1 };
    return start + ((stop - start) * slice) / SLICES;
  }

  private place(cell: Cell): { x: number; y: number; w: number; h: number } {
    const [wide, high] = [(this.picture.width - LABELS - 8) / SLICES, this.rowHeight()];
    const x = Math.round(LABELS + cell.slice * wide);
    const y = Math.round(HEAD + this.paths.indexOf(cell.path) * high);
    return { x, y, w: Math.max(1, Math.round(LABELS + (cell.slice + 1) * wide) - x), h: Math.max(1, Math.round(high) - (high > 5 ? 1 : 0)) };
  }

  private rowHeight(): number {
    return Math.min(26, (this.picture.height - HEAD - 4) / Math.max(1, this.paths.length));
  }

  private items(): Item[] {
    const { store } = this.page;
    return this.cells.map((cell) => {
      const [start, stop] = [this.timeOf(cell.slice), this.timeOf(cell.slice + 1)];
      const container = this.trace?.containers.find((one) => one.path === cell.path);
      return {
        ...this.place(cell),
        lines: [cell.path, ["slice", `${cell.slice + 1} of ${SLICES}`], ["this run", share(cell.left)], ["other run", share(cell.right)], ["difference", signed(cell.difference)]],
        choose: () => store.update({ selection: { ...store.state.selection, start, stop, containers: container ? [container.id] : [] } }),
        open: () => this.control.go(start, stop),
      };
    });
  }

  private draw(context: CanvasRenderingContext2D): void {
    if (this.paths.length === 0) return;
    const ground = toColor(this.page.theme("--panel"));
    const dark = this.page.isDark() ? 1 : 0;
    const most = this.most() || 1;
    context.fillStyle = css(ground);
    context.fillRect(LABELS, HEAD, this.picture.width - LABELS - 8, this.rowHeight() * this.paths.length);
    for (const cell of this.cells) {
      const { x, y, w, h: high } = this.place(cell);
      if (cell.difference === null) {
        context.fillStyle = this.page.theme("--quiet");
        for (let at = x + 1; at < x + w; at += 4) context.fillRect(at, y, 1, high);
        continue;
      }
      if (cell.difference === 0) continue;
      context.fillStyle = css(toward(ground, (cell.difference > 0 ? MORE : LESS)[dark], 0.1 + (0.9 * Math.abs(cell.difference)) / most));
      context.fillRect(x, y, w, high);
    }
    this.drawLabels(context);
    this.drawWindow(context);
  }

  private drawLabels(context: CanvasRenderingContext2D): void {
    const [high, dark] = [this.rowHeight(), this.page.isDark() ? 1 : 0];
    context.font = `11px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.fillStyle = this.page.theme("--ink");
    const step = Math.max(1, Math.ceil(13 / high));
    this.paths.forEach((path, at) => {
      if (at % step !== 0) return;
      let text = path.split("/").pop() ?? path;
      while (text.length > 3 && context.measureText(text).width > LABELS - 14) text = `${text.slice(0, -2)}…`;
      context.fillText(text, 8, HEAD + (at + 0.5) * high);
    });
    let x = LABELS;
    const most = percent(this.most());
    for (const [color, text] of [[LESS[dark], `less in the other run, to −${most}`], [MORE[dark], `more, to +${most}`]] as const) {
      context.fillStyle = css(color);
      context.fillRect(x, 6, 12, 10);
      context.fillStyle = this.page.theme("--quiet");
      context.fillText(text, x + 17, 11);
      x += 34 + context.measureText(text).width;
    }
  }

  /** The window, as a frame over its slices. */
  private drawWindow(context: CanvasRenderingContext2D): void {
    const { start, stop } = this.page.store.state;
    if (!this.trace || (start <= this.trace.start && stop >= this.trace.stop)) return;
    const room = this.picture.width - LABELS - 8;
    const x = (time: number) => LABELS + ((time - this.trace!.start) / (this.trace!.stop - this.trace!.start)) * room;
    context.strokeStyle = this.page.theme("--accent");
    context.lineWidth = 2;
    context.strokeRect(x(start), HEAD, Math.max(2, x(stop) - x(start)), this.rowHeight() * this.paths.length);
  }
}

function cellsOf(rows: Rows, value: string): Cell[] {
  const [values, paths, slices] = [rows.texts("value"), rows.texts("path"), rows.numbers("slice")];
  const [lefts, rights, differences] = ["left_share", "right_share", "difference"].map((name) => rows.column(name));
  const cells: Cell[] = [];
  for (let row = 0; row < rows.length; row++) {
    if (values[row] !== value) continue;
    cells.push({ path: paths[row], slice: Number(slices[row]), left: lefts[row] ?? null, right: rights[row] ?? null, difference: differences[row] ?? null });
  }
  return cells;
}

export function share(value: number | null): string {
  return value === null ? "not there" : percent(value);
}

export function signed(value: number | null): string {
  return value === null ? "not comparable" : `${value > 0 ? "+" : value < 0 ? "−" : ""}${percent(Math.abs(value))}`;
}
