// The overview: the areas of space and time in which everything behaves alike, for a weight p of gain against loss. A
// slider steps through the partitions that differ; the areas of all p are one answer, so a step asks nothing.
import levelsSql from "../../../../../../sql/page/overview_levels.sql?raw";
import overviewSql from "../../../../../../sql/page/overview.sql?raw";
import belowSql from "../../../../../../sql/page/below.sql?raw";
import type { Rows } from "../core/api";
import { css, toward } from "../core/color";
import { fill, h } from "../core/dom";
import { count, duration, percent } from "../core/format";
import { type Item, Picture } from "../core/picture";
import { body, filled, Fragment } from "../core/sqltext";
import type { PageState, Step } from "../core/store";
import { colorOf } from "../core/trace";
import { type Page, View } from "../core/view";
import { toColor } from "../timeline/model";
import type { WindowControl } from "../timeline/gestures";
import { Curves, type Level, type LevelShare } from "./curves";

const LABELS = 150;
const AXIS = 20;

interface Area {
  /** The p that show it. */
  from: number;
  to: number;
  container: number | null;
  name: string;
  start: number;
  stop: number;
  resources: number;
  mode: string | null;
  alpha: number;
  gain: number;
  loss: number;
  proportions: { value: string; proportion: number }[];
  y: number;
  height: number;
  mark: string | null;
}

export class OverviewView extends View {
  readonly id = "overview";
  private readonly picture: Picture;
  private readonly curves: Curves;
  private readonly slider = h("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "p: weight of gain against loss" });
  private readonly facts = h("dl", { class: "facts" });
  private readonly crumb = h("span", {});
  private levels: Level[] = [];
  private areas: Area[] = [];
  private asked = "";
  private askedHeight = 1;

  constructor(page: Page, private readonly control: WindowControl) {
    super(page, "Overview");
    this.picture = new Picture(page, "Overview of space and time", (context) => this.draw(context), () => {
      if (this.asked === "" && this.isVisible) void this.load(page.store.state);
      this.layout();
    });
    this.curves = new Curves(page, (p) => page.store.update({ p }));
    const slices = h("select", { "aria-label": "Slices of time" });
    for (const value of [15, 30, 60, 100]) slices.append(h("option", { value }, `${value} slices`));
    slices.addEventListener("change", () => page.store.update({ slices: Number(slices.value) }));
    page.store.subscribe((state) => (slices.value = String(state.slices)));
    this.slider.addEventListener("input", () => this.slide());
    this.slider.addEventListener("change", () => page.store.update({ p: this.current()?.p ?? page.store.state.p }));
    this.tools.append(h("label", {}, "detail", this.slider, "simple"), slices, this.crumb);
    const side = h("div", { class: "overview-side" }, this.facts, this.curves.element);
    this.content.append(h("div", { class: "overview" }, this.picture.element, side));
  }

  protected override drawing(state: PageState) {
    return { view: "overview", options: { p: String(state.p), slices: String(state.slices) } };
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    const { trace } = this.page;
    if (trace.counts.states === 0) {
      this.areas = [];
      this.levels = [];
      this.picture.show([]);
      this.say(`The trace ${trace.name} has no states, which an overview is made of.`);
      return;
    }
    this.picture.measure();
    if (!changed) this.asked = "";
    if (!changed || ["trace", "start", "stop", "slices", "options"].some((name) => changed.has(name as keyof PageState))) void this.load(state);
    this.select(state.p);
    this.layout();
  }

  private parameters(state: PageState) {
    const root = Number(state.options.root ?? NaN);
    const inside = Number.isInteger(root) && this.page.trace.byId.has(root);
    const model = new Fragment(inside ? `(SELECT * FROM state_segments WHERE container_id IN (${filled(body(belowSql), { containers: [root] })}))` : "state_segments");
    const name = this.page.trace.byId.get(root)?.name;
    fill(this.crumb, inside && h("button", { type: "button", class: "chip", onclick: () => this.page.store.update({ options: { ...state.options, root: "" } }) }, `within ${name} ✕`));
    return { model, slices: state.slices, start: state.start, stop: state.stop, height: Math.max(100, this.picture.height - AXIS) };
  }

  private async load(state: PageState): Promise<void> {
    const parameters = this.parameters(state);
    const key = JSON.stringify([this.page.trace.name, parameters.model.sql, parameters.slices, parameters.start, parameters.stop]);
    if (key === this.asked || this.picture.height === 0) return;
    this.asked = key;
    const asked = [this.ask("levels", filled(levelsSql, { ...parameters })), this.ask("areas", filled(overviewSql, { ...parameters }))];
    const [levels, areas] = await Promise.all(asked);
    if (!levels || !areas) return;
    const [ps, counts] = [levels.numbers("p"), levels.numbers("aggregates")];
    const [gains, losses] = [shares(levels, "gain"), shares(levels, "loss")];
    this.levels = Array.from({ length: levels.length }, (_, row) => ({ p: ps[row], areas: Number(counts[row]), gain: gains[row], loss: losses[row] }));
    this.areas = readAreas(areas);
    this.askedHeight = parameters.height;
    if (this.levels.length === 0) return this.say("There is no state in this window.");
    this.slider.max = String(this.levels.length - 1);
    this.select(this.page.store.state.p);
  }

  private current(): Level | null {
    return this.levels[Number(this.slider.value)] ?? null;
  }

  /** Moves the slider to the level that a p belongs to. */
  private select(p: number): void {
    let place = 0;
    this.levels.forEach((level, at) => {
      if (level.p <= p + 1e-12) place = at;
    });
    this.slider.value = String(place);
    this.slide();
  }

  /** A step of the slider: what is there already is drawn. */
  private slide(): void {
    const level = this.current();
    if (!level) return;
    this.slider.setAttribute("aria-valuetext", `p ${level.p.toPrecision(3)}, ${level.areas} areas`);
    const facts: [string, string][] = [["p", level.p.toPrecision(3)], ["areas", count(level.areas)], ["gain", level.gain.text], ["loss", level.loss.text]];
    fill(this.facts, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    this.curves.show(this.levels, Number(this.slider.value));
    this.layout();
  }

  private layout(): void {
    this.picture.show(this.shown().map((area) => this.item(area)));
  }

  /** The areas of the level that is shown. */
  private shown(): Area[] {
    const p = this.current()?.p;
    return p === undefined ? [] : this.areas.filter((area) => area.from <= p && p <= area.to);
  }

  private place(area: Area): { x: number; y: number; w: number; h: number } {
    const { start, stop } = this.page.store.state;
    const room = this.picture.width - LABELS;
    const x = (time: number) => LABELS + Math.round(((time - start) / (stop - start)) * room);
    const scale = (this.picture.height - AXIS) / this.askedHeight;
    const [top, bottom] = [Math.round(area.y * scale), Math.round((area.y + area.height) * scale)];
    return { x: x(area.start), y: AXIS + top, w: x(area.stop) - x(area.start), h: bottom - top };
  }

  private item(area: Area): Item {
    const { store } = this.page;
    const lines: Item["lines"] = [area.name, ...area.proportions.slice(0, 6).map((part): [string, string] => [part.value, percent(part.proportion)])];
    lines.push([`${count(area.resources)} resources`, duration(area.stop - area.start)], ["gain, loss", `${area.gain.toPrecision(3)}, ${area.loss.toPrecision(3)} bits`]);
    if (area.mark) lines.push("drawn as one: its parts are thinner than a pixel or three");
    return {
      ...this.place(area),
      lines,
      choose: () => store.update({ selection: { ...store.state.selection, start: area.start, stop: area.stop, containers: area.container === null ? [] : [area.container] } }),
      open: () => this.drill(area),
    };
  }

  private drill(area: Area): void {
    const { state } = this.page.store;
    const container = this.page.trace.byId.get(area.container ?? -1);
    const [start, stop] = this.control.clamp(area.start, area.stop);
    const root = container && !container.isLeaf ? { options: { ...state.options, root: String(container.id) } } : {};
    this.page.store.update({ start, stop, ...root });
  }

  private draw(context: CanvasRenderingContext2D): void {
    const { trace } = this.page;
    const areas = this.shown();
    const background = toColor(this.page.theme("--background"));
    for (const area of areas) {
      const { x, y, w, h: high } = this.place(area);
      if (area.mode !== null) {
        const values = this.page.store.state.selection.values;
        const faded = values.length > 0 && !values.includes(area.mode);
        context.fillStyle = css(toward(background, colorOf(trace, area.mode), Math.max(0.08, area.alpha) * (faded ? 0.15 : 1)));
        context.fillRect(x, y, w, high);
      }
      context.strokeStyle = this.page.theme("--background");
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), Math.max(0, high - 1));
      if (area.mark) drawMark(context, area.mark, x, y, w, high, this.page.theme("--quiet"));
    }
    this.drawLabels(context, areas);
    this.drawAxis(context);
  }

  /** Names of areas beside the picture where there is room: those that begin at its left edge. */
  private drawLabels(context: CanvasRenderingContext2D, areas: Area[]): void {
    context.font = `12px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.fillStyle = this.page.theme("--ink");
    const taken: [number, number][] = [];
    const byHeight = areas.filter((area) => area.container !== null).sort((a, b) => a.height - b.height || a.start - b.start);
    for (const area of byHeight) {
      const { y, h: high } = this.place(area);
      const middle = y + high / 2;
      if (high < 11 || taken.some(([top, bottom]) => middle + 7 > top && middle - 7 < bottom)) continue;
      taken.push([middle - 7, middle + 7]);
      let text = area.name;
      while (text.length > 3 && context.measureText(text).width > LABELS - 16) text = `${text.slice(0, -2)}…`;
      context.fillText(text, 8, middle);
    }
  }

  private drawAxis(context: CanvasRenderingContext2D): void {
    const { start, stop } = this.page.store.state;
    context.fillStyle = this.page.theme("--quiet");
    context.font = `11px ${this.page.theme("--font")}`;
    const [begin, end] = [`${start.toPrecision(6)} s`, `${stop.toPrecision(6)} s`];
    context.fillText(begin, LABELS, AXIS / 2);
    const right = this.picture.width - context.measureText(end).width - 4;
    if (right > LABELS + context.measureText(begin).width + 8) context.fillText(end, right, AXIS / 2);
  }
}

function drawMark(context: CanvasRenderingContext2D, mark: string, x: number, y: number, w: number, h: number, color: string): void {
  context.strokeStyle = color;
  context.beginPath();
  context.moveTo(x, y + h);
  context.lineTo(x + w, y);
  if (mark === "cross") {
    context.moveTo(x, y);
    context.lineTo(x + w, y + h);
  }
  context.stroke();
}

function readAreas(rows: Rows): Area[] {
  const column = (name: string) => rows.column(name);
  return Array.from({ length: rows.length }, (_, row) => ({
    from: column("p_from")[row], to: column("p_to")[row],
    container: column("container_id")[row] ?? null, name: column("container")[row] ?? "everything", start: column("start_time")[row],
    stop: column("end_time")[row], resources: Number(column("resources")[row]), mode: column("mode")[row] ?? null,
    alpha: column("alpha")[row] ?? 0, gain: column("gain")[row], loss: column("loss")[row],
    proportions: [...(column("proportions")[row] ?? [])], y: column("y")[row], height: column("height")[row], mark: column("mark")[row] ?? null,
  }));
}

/** Gain or loss of every level as a share of that of one area for everything. Where that has none, as with states that fill whole
 * slices, the greatest of the levels is the height of the curve, and the words are bits. */
function shares(levels: Rows, name: "gain" | "loss"): LevelShare[] {
  const [bits, ratios] = [Array.from(levels.numbers(name)), levels.column(`${name}_ratio`)];
  const most = Math.max(...bits);
  return bits.map((value, row) => {
    const ratio = ratios[row];
    if (typeof ratio === "number") return { height: ratio, text: percent(ratio) };
    return { height: most > 0 ? value / most : 0, text: `${value.toPrecision(3)} bits` };
  });
}
