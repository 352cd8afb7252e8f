// One run of a comparison: its states in columns of pixels, in as many rows as there is room for.
import type { Rows } from "../core/api";
import type { Color } from "../core/color";
import { percent } from "../core/format";
import { type Item, Picture } from "../core/picture";
import type { TraceInfo } from "../core/trace";
import { defaultExpanded, type Row, rowsOf } from "../core/tree";
import type { Page } from "../core/view";
import type { Columns } from "../timeline/columns";
import { StateColumns, statesSql } from "../timeline/data";
import type { WindowControl } from "../timeline/gestures";
import { toColor } from "../timeline/model";
import { paintStates } from "../timeline/paint";

const LABELS = 150;
const LEAST_HEIGHT = 6;

export class RunPicture {
  private readonly picture: Picture;
  private trace: TraceInfo | null = null;
  private rows: Row[] = [];
  private data: StateColumns | null = null;
  private bitmap: HTMLCanvasElement | null = null;
  private colorOf: (value: string) => Color = () => ({ red: 0, green: 0, blue: 0 });

  constructor(private readonly page: Page, label: string, control: WindowControl, resized: () => void) {
    this.picture = new Picture(page, label, (context) => this.draw(context), resized);
    this.picture.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.picture.canvas.getBoundingClientRect();
      const place = (event.clientX - box.left - LABELS) / (box.width - LABELS);
      control.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.002), Math.min(1, Math.max(0, place)));
    }, { passive: false });
  }

  get element(): HTMLElement {
    return this.picture.element;
  }

  /** The statement for a window of a trace; null where there is no room or no state. */
  statement(trace: TraceInfo, window: [number, number]): { sql: string; columns: Columns } | null {
    if (!this.picture.measure()) return null;
    this.trace = trace;
    const room = this.picture.height - 4;
    const states = (open: Set<number>) => rowsOf(trace, open, true, 0).filter((row) => row.kind === "state");
    const all = states(defaultExpanded(trace));
    this.rows = all.length * LEAST_HEIGHT <= room ? all : states(new Set());
    if (this.rows.length === 0) return null;
    const height = Math.min(26, Math.max(LEAST_HEIGHT, Math.floor(room / this.rows.length)));
    this.rows = this.rows.map((row, at) => ({ ...row, levels: 1, top: at * height, height }));
    const width = Math.max(10, this.picture.width - LABELS);
    const columns = { start: window[0], stop: window[1], width, length: (window[1] - window[0]) / width, pixels: 1 };
    const sql = statesSql(this.rows, columns, 1);
    return sql ? { sql, columns } : null;
  }

  show(answer: Rows | null, columns: Columns | null, colorOf: (value: string) => Color): void {
    this.colorOf = colorOf;
    this.data = answer && columns && this.trace ? new StateColumns(this.trace, answer, columns) : null;
    this.paint();
    this.picture.show(this.items());
  }

  paint(): void {
    const background = toColor(this.page.theme("--background"));
    const values = new Set(this.page.store.state.selection.values);
    const shade = (value: string) => ({ color: this.colorOf(value), faded: values.size > 0 && !values.has(value) });
    this.bitmap = this.data && this.rows.length > 0 ? paintStates(this.data, this.rows, 1, shade, background) : null;
    this.picture.paint();
  }

  private items(): Item[] {
    const items: Item[] = [];
    const { data } = this;
    if (!data) return items;
    for (const row of this.rows) {
      data.eachSpan(row, 0, (order, from, to) => {
        const lines: Item["lines"] = [row.container.name];
        for (let at = from; at < Math.min(to, from + 6); at++) lines.push([data.valueOf(order[at]), percent(data.amounts?.share[order[at]] ?? 0)]);
        const [first, last] = [data.first[order[from]], data.lastOf(order[from])];
        items.push({ x: LABELS + first, y: row.top, w: last - first + 1, h: row.height, lines });
      });
    }
    return items;
  }

  private draw(context: CanvasRenderingContext2D): void {
    context.font = `11px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.fillStyle = this.page.theme("--ink");
    const step = Math.max(1, Math.ceil(13 / (this.rows[0]?.height ?? 13)));
    this.rows.forEach((row, at) => {
      if (at % step === 0) context.fillText(row.container.name.slice(0, 22), 8, row.top + row.height / 2);
    });
    context.imageSmoothingEnabled = false;
    if (this.bitmap) context.drawImage(this.bitmap, LABELS, 0);
  }
}
