// A chart of any result, chosen by the types of its columns: intervals of containers as bars in time, a text and a number as
// bars, two numbers as a line.
import type { Rows } from "../core/api";
import { css } from "../core/color";
import { amount, cell, duration } from "../core/format";
import { type Item, Picture } from "../core/picture";
import { colorOf } from "../core/trace";
import type { Page } from "../core/view";

const MOST_BARS = 60;
const MOST_POINTS = 5000;

type Shape = { kind: "intervals" } | { kind: "bars"; label: string; value: string } | { kind: "line"; x: string; y: string } | { kind: "none" };

/** Which chart suits the columns of a result. */
export function shapeOf(rows: Rows): Shape {
  const has = (name: string) => rows.names.includes(name);
  if (has("start_time") && has("end_time") && (has("container") || has("container_id"))) return { kind: "intervals" };
  const isNumber = (at: number) => /integer|float|decimal/.test(rows.types[at]) && !/_id$|_tick$/.test(rows.names[at]);
  const numbers = rows.names.filter((_, at) => isNumber(at));
  const texts = rows.names.filter((_, at) => rows.types[at] === "text");
  if (texts.length > 0 && numbers.length > 0 && rows.length <= 1000) return { kind: "bars", label: texts[0], value: numbers[0] };
  if (numbers.length > 1) return { kind: "line", x: numbers[0], y: numbers[1] };
  return { kind: "none" };
}

export class Chart {
  private readonly picture: Picture;
  private rows: Rows | null = null;

  constructor(private readonly page: Page) {
    this.picture = new Picture(page, "Chart of the result", (context) => this.draw(context), () => this.rows && this.show(this.rows));
  }

  get element(): HTMLElement {
    return this.picture.element;
  }

  show(rows: Rows): void {
    this.rows = rows;
    this.picture.measure();
    this.picture.show(this.items());
  }

  private items(): (Item & { color: string })[] {
    const rows = this.rows;
    if (!rows || this.picture.width === 0) return [];
    const shape = shapeOf(rows);
    if (shape.kind === "bars") return this.bars(rows, shape.label, shape.value);
    if (shape.kind === "intervals") return this.intervals(rows);
    return shape.kind === "line" ? this.points(rows, shape.x, shape.y) : [];
  }

  private bars(rows: Rows, label: string, value: string): (Item & { color: string })[] {
    const shown = Math.min(rows.length, MOST_BARS);
    const high = Math.min(26, (this.picture.height - 10) / Math.max(1, shown));
    const numbers = Array.from({ length: shown }, (_, row) => Number(rows.column(value)[row] ?? 0));
    const most = Math.max(1e-300, ...numbers.map(Math.abs));
    return numbers.map((number, row) => {
      const text = cell(rows.column(label)[row]);
      const color = this.page.trace.colors.has(text) ? css(colorOf(this.page.trace, text)) : this.page.theme("--variable");
      return { x: 180, y: 5 + row * high, w: Math.max(1, (Math.abs(number) / most) * (this.picture.width - 280)), h: Math.max(1, high - 2), color, lines: [text, [value, cell(number)]] };
    });
  }

  private intervals(rows: Rows): (Item & { color: string })[] {
    const name = rows.names.includes("container") ? "container" : "container_id";
    const [starts, stops] = [rows.column("start_time"), rows.column("end_time")];
    const lanes = new Map<string, number>();
    let [first, last] = [Infinity, -Infinity];
    const shown = Math.min(rows.length, MOST_POINTS);
    for (let row = 0; row < shown; row++) {
      const key = cell(rows.column(name)[row]);
      if (!lanes.has(key)) lanes.set(key, lanes.size);
      [first, last] = [Math.min(first, Number(starts[row])), Math.max(last, Number(stops[row]))];
    }
    const high = Math.min(24, (this.picture.height - 10) / Math.max(1, lanes.size));
    const x = (time: number) => 180 + ((time - first) / (last - first || 1)) * (this.picture.width - 190);
    return Array.from({ length: shown }, (_, row) => {
      const value = rows.names.includes("value") ? cell(rows.column("value")[row]) : "";
      const key = cell(rows.column(name)[row]);
      const [start, stop] = [Number(starts[row]), Number(stops[row])];
      const color = value ? css(colorOf(this.page.trace, value)) : this.page.theme("--variable");
      return { x: x(start), y: 5 + lanes.get(key)! * high, w: Math.max(1, x(stop) - x(start)), h: Math.max(1, high - 2), color, lines: [key, [value || "interval", duration(stop - start)]], open: () => this.page.store.update({ start, stop, view: "timeline" }) };
    });
  }

  private points(rows: Rows, xName: string, yName: string): (Item & { color: string })[] {
    const step = Math.max(1, Math.ceil(rows.length / MOST_POINTS));
    const places = Array.from({ length: Math.floor((rows.length + step - 1) / step) }, (_, at) => at * step);
    const [xs, ys] = [xName, yName].map((name) => places.map((row) => Number(rows.column(name)[row] ?? NaN)));
    const range = (values: number[]) => [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
    const [[left, right], [low, high]] = [range(xs.filter(Number.isFinite)), range(ys.filter(Number.isFinite))];
    return places.map((_, at) => ({
      x: 60 + ((xs[at] - left) / (right - left || 1)) * (this.picture.width - 80) - 2, w: 4, h: 4,
      y: this.picture.height - 26 - ((ys[at] - low) / (high - low || 1)) * (this.picture.height - 50), color: this.page.theme("--accent"),
      lines: [`${xName} ${amount(xs[at])}`, [yName, amount(ys[at])]],
    }));
  }

  private draw(context: CanvasRenderingContext2D): void {
    const rows = this.rows;
    context.font = `12px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.fillStyle = this.page.theme("--quiet");
    const shape = rows ? shapeOf(rows) : { kind: "none" as const };
    if (shape.kind === "none") {
      context.fillText("No chart suits these columns: it needs a text and a number, two numbers, or containers with times.", 12, 20);
      return;
    }
    const items = this.items();
    const named = new Set<number>();
    if (shape.kind === "line") this.drawLine(context, items, shape);
    for (const item of items) {
      context.fillStyle = item.color;
      context.fillRect(item.x, item.y, item.w, item.h);
      if (shape.kind === "line" || named.has(item.y) || item.h < 9) continue;
      named.add(item.y);
      context.fillStyle = this.page.theme("--ink");
      let text = String(item.lines[0]);
      while (text.length > 3 && context.measureText(text).width > 166) text = `${text.slice(0, -2)}…`;
      context.fillText(text, 174 - context.measureText(text).width, item.y + item.h / 2);
      if (shape.kind === "bars") context.fillText(amount(Number((item.lines[1] as [string, string])[1])), item.x + item.w + 6, item.y + item.h / 2);
    }
  }

  private drawLine(context: CanvasRenderingContext2D, items: Item[], shape: { x: string; y: string }): void {
    context.fillText(shape.y, 8, 12);
    context.fillText(shape.x, this.picture.width - 20 - context.measureText(shape.x).width, this.picture.height - 9);
    context.strokeStyle = this.page.theme("--accent");
    context.lineWidth = 1.5;
    context.beginPath();
    items.forEach((item, at) => (at === 0 ? context.moveTo(item.x + 2, item.y + 2) : context.lineTo(item.x + 2, item.y + 2)));
    context.stroke();
  }
}
