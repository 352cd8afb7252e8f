// The whole trace in one strip, always in sight: its states over time, or what happens where it has none, and the window
// as a brush.
import happeningsSql from "../../../../../../sql/page/strip_happenings.sql?raw";
import stripSql from "../../../../../../sql/page/strip.sql?raw";
import type { WindowControl } from "../timeline/gestures";
import { whenPictured } from "./activity";
import { query } from "./api";
import { css } from "./color";
import { h, pictureScale, style } from "./dom";
import { duration } from "./format";
import type { PageState } from "./store";
import { filled } from "./sqltext";
import { colorOf } from "./trace";
import type { Page } from "./view";

const HEIGHT = 44;
const COLUMNS = 400;

export class Strip {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly brush = h("div", { class: "brush", role: "slider", tabindex: 0, "aria-label": "Window", "aria-orientation": "horizontal" });
  private columns = new Map<number, [string, number][]>();
  private loaded = "";

  constructor(private readonly page: Page, private readonly control: WindowControl) {
    for (const side of ["left", "right"]) this.brush.append(h("i", { class: `handle ${side}`, "aria-hidden": "true" }));
    this.element = h("section", { class: "strip", "aria-label": "Whole trace" }, this.canvas, this.brush);
    this.element.addEventListener("pointerdown", (event) => this.drag(event));
    this.brush.addEventListener("keydown", (event) => this.key(event));
    // Observers are told of the first room too, for which it is drawn already.
    new ResizeObserver(() => this.canvas.width === this.pixels || this.draw()).observe(this.element);
  }

  async load(): Promise<void> {
    const { trace } = this.page;
    if (this.loaded === trace.name) return;
    this.loaded = trace.name;
    this.columns = new Map();
    this.draw();
    const hasStates = trace.counts.states > 0;
    const sql = filled(hasStates ? stripSql : happeningsSql, { width: COLUMNS, start: trace.start, stop: trace.stop });
    await new Promise<void>(whenPictured);
    if (this.loaded !== trace.name) return;
    const rows = await query(sql, trace.name).catch(() => null);
    if (this.loaded !== trace.name) return;
    // What failed is asked for again with the next step.
    if (!rows) this.loaded = "";
    if (!rows) return;
    this.page.record({ title: "strip", sql, rows });
    const heights = rows.numbers(hasStates ? "seconds" : "happenings");
    const [slices, values] = [rows.numbers("slice"), rows.texts("value")];
    for (let row = 0; row < rows.length; row++) {
      const list = this.columns.get(slices[row]) ?? [];
      // Most values of variables are set at the start: numbers of rows are compared by their magnitude.
      list.push([values[row], hasStates ? heights[row] : Math.log1p(heights[row])]);
      this.columns.set(slices[row], list);
    }
    for (const list of this.columns.values()) {
      list.sort((a, b) => (trace.places.get(a[0]) ?? 1e9) - (trace.places.get(b[0]) ?? 1e9));
    }
    this.draw();
  }

  private get pixels(): number {
    return Math.round(this.element.clientWidth * pictureScale());
  }

  draw(): void {
    const width = this.pixels;
    if (width < 10) return;
    this.canvas.width = width;
    this.canvas.height = HEIGHT * pictureScale();
    const context = this.canvas.getContext("2d")!;
    const { trace } = this.page;
    let most = 0;
    for (const list of this.columns.values()) most = Math.max(most, list.reduce((sum, [, seconds]) => sum + seconds, 0));
    for (const [slice, list] of this.columns) {
      const left = Math.round((slice * width) / COLUMNS);
      const right = Math.round(((slice + 1) * width) / COLUMNS);
      let ground = this.canvas.height;
      for (const [value, seconds] of list) {
        const height = (seconds / most) * this.canvas.height;
        context.fillStyle = css(colorOf(trace, value));
        context.fillRect(left, ground - height, right - left, height + 0.5);
        ground -= height;
      }
    }
    this.update(this.page.store.state);
  }

  update(state: PageState): void {
    const { start, stop } = this.page.trace;
    const share = (time: number) => ((time - start) / (stop - start)) * 100;
    style(this.brush, { left: `${share(state.start)}%`, width: `max(3px, ${share(state.stop) - share(state.start)}%)` });
    const middle = (state.start + state.stop) / 2;
    this.brush.setAttribute("aria-valuemin", String(start));
    this.brush.setAttribute("aria-valuemax", String(stop));
    this.brush.setAttribute("aria-valuenow", String(middle));
    this.brush.setAttribute("aria-valuetext", `${duration(state.stop - state.start)} from second ${state.start}`);
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === "ArrowLeft" ? -0.1 : event.key === "ArrowRight" ? 0.1 : 0;
    if (step !== 0) this.control.pan(step);
    else if (event.key === "ArrowUp") this.control.zoom(1 / 1.4, 0.5);
    else if (event.key === "ArrowDown") this.control.zoom(1.4, 0.5);
    else return;
    event.preventDefault();
  }

  private drag(event: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const { trace, store } = this.page;
    const timeAt = (x: number) => trace.start + ((x - box.left) / box.width) * (trace.stop - trace.start);
    const begin = { start: store.state.start, stop: store.state.stop };
    const from = timeAt(event.clientX);
    const target = event.target as HTMLElement;
    const isWhole = begin.stop - begin.start > (trace.stop - trace.start) * 0.999;
    const mode = target.classList.contains("left") ? "left" : target.classList.contains("right") ? "right" : target === this.brush && !isWhole ? "move" : "new";
    this.element.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      const at = Math.min(trace.stop, Math.max(trace.start, timeAt(next.clientX)));
      let [start, stop] = [begin.start, begin.stop];
      if (mode === "left") start = Math.min(at, stop);
      else if (mode === "right") stop = Math.max(at, start);
      else if (mode === "new") [start, stop] = [Math.min(from, at), Math.max(from, at)];
      else [start, stop] = [start + at - from, stop + at - from];
      if (mode === "new" && Math.abs(next.clientX - event.clientX) < 4) return;
      const range = this.control.clamp(start, stop);
      store.update({ start: range[0], stop: range[1] }, "gesture");
    };
    const up = (next: PointerEvent) => {
      this.element.removeEventListener("pointermove", move);
      this.element.removeEventListener("pointerup", up);
      if (Math.abs(next.clientX - event.clientX) >= 4) this.control.settle();
      else if (mode === "new" && !isWhole) {
        const half = (begin.stop - begin.start) / 2;
        this.control.go(from - half, from + half);
      }
    };
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("pointerup", up);
  }
}
