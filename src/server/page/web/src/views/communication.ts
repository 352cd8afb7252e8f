// Communication: who sends how much to whom in the window, as a matrix, and the CommGram curve of its phases.
import communicationSql from "../../../../../../sql/page/communication.sql?raw";
import curveSql from "../../../../../../sql/page/curve.sql?raw";
import type { Rows } from "../core/api";
import { css, rgb, toward } from "../core/color";
import { fill, h } from "../core/dom";
import { amount, count, duration } from "../core/format";
import { type Item, Picture } from "../core/picture";
import { all, concernsSelection, containersIn, timeOf } from "../core/selection";
import { filled } from "../core/sqltext";
import type { PageState, Step } from "../core/store";
import { type Page, View } from "../core/view";
import { toColor } from "../timeline/model";
import type { WindowControl } from "../timeline/gestures";

const PHASES = 24;
const LABELS = 110;
const HEAD = 34;

type Metric = "links" | "volume" | "seconds";

export class CommunicationView extends View {
  readonly id = "communication";
  private readonly matrix: Picture;
  private readonly curve: Picture;
  private readonly metric = h("select", { "aria-label": "What is counted" });
  private readonly depth = h("select", { "aria-label": "Depth of containers" });
  private pairs: Rows | null = null;
  private phases: Rows | null = null;
  private shown = "";

  constructor(page: Page, private readonly control: WindowControl) {
    super(page, "Communication");
    this.matrix = new Picture(page, "Matrix of communication, senders as rows", (context) => this.drawMatrix(context), () => this.showMatrix());
    this.curve = new Picture(page, "CommGram curve: how the communities of phases differ", (context) => this.drawCurve(context), () => this.showCurve());
    for (const [value, text] of [["volume", "volume"], ["links", "messages"], ["seconds", "time in flight"]]) this.metric.append(h("option", { value }, text));
    const change = (name: string, value: string) => page.store.update({ options: { ...page.store.state.options, [name]: value } });
    this.metric.addEventListener("change", () => change("metric", this.metric.value));
    this.depth.addEventListener("change", () => change("commdepth", this.depth.value));
    this.tools.append(this.metric, h("label", {}, "between", this.depth));
    this.content.append(h("div", { class: "communication" }, this.matrix.element, this.curve.element));
  }

  protected override drawing(_: PageState) {
    return { view: "matrix", options: {} };
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    this.offer(state);
    if (this.page.trace.counts.links === 0) {
      this.pairs = this.phases = null;
      this.showMatrix();
      this.showCurve();
      this.say(`The trace ${this.page.trace.name} has no links: nothing was sent.`);
      return;
    }
    if (concernsSelection(changed) || changed?.has("options")) void this.load(state);
  }

  private offer(state: PageState): void {
    const { trace } = this.page;
    const deepest = Math.max(...trace.containers.map((container) => container.depth), 0);
    if (this.shown !== trace.name) {
      this.shown = trace.name;
      fill(this.depth, ...Array.from({ length: deepest + 1 }, (_, depth) => h("option", { value: depth }, [...new Set(trace.containers.filter((one) => one.depth === depth).map((one) => one.type))].slice(0, 2).join(", ") || `level ${depth}`)));
    }
    this.depth.value = state.options.commdepth ?? String(deepest);
    this.metric.value = state.options.metric ?? "volume";
  }

  private async load(state: PageState): Promise<void> {
    const [start, stop] = timeOf(state);
    const inside = all(state.selection.containers.length ? `(${containersIn(state, "links.source_id")} OR ${containersIn(state, "links.target_id")})` : null);
    const matrix = this.ask("matrix", filled(communicationSql, { start, stop, depth: Number(this.depth.value), condition: inside }));
    const curve = this.ask("curve", filled(curveSql, { start: state.start, stop: state.stop, phases: PHASES }));
    const pairs = await matrix;
    if (pairs) {
      this.pairs = pairs;
      this.showMatrix();
    }
    const phases = await curve;
    if (phases) {
      this.phases = phases;
      this.showCurve();
    }
    if (pairs?.length === 0) this.say("No message is under way in this selection.");
  }

  /** The containers of the matrix in the order of the tree. */
  private members(): number[] {
    if (!this.pairs) return [];
    const ids = new Set<number>([...Array.from(this.pairs.numbers("source_id")), ...Array.from(this.pairs.numbers("target_id"))]);
    return [...ids].sort((a, b) => (this.page.trace.byId.get(a)?.preorder ?? 0) - (this.page.trace.byId.get(b)?.preorder ?? 0));
  }

  private cell(): { size: number; members: number[]; left: number } {
    const members = this.members();
    const room = Math.min(this.matrix.width - LABELS - 8, this.matrix.height - HEAD - 8);
    return { members, size: members.length ? room / members.length : 0, left: LABELS };
  }

  private value(metric: Metric, row: number): number {
    return Number(this.pairs?.column(metric)[row] ?? 0);
  }

  /** What is counted: volume where the trace has it, else messages. */
  private counted(): Metric {
    const wanted = this.metric.value as Metric;
    if (wanted !== "volume" || !this.pairs) return wanted;
    return Array.from(this.pairs.column("volume")).some((volume) => Number(volume) > 0) ? "volume" : "links";
  }

  private showMatrix(): void {
    const { members, size, left } = this.cell();
    const places = new Map(members.map((id, at) => [id, at]));
    const { store } = this.page;
    const items: Item[] = [];
    for (let row = 0; row < (this.pairs?.length ?? 0); row++) {
      const [from, to] = [this.pairs!.numbers("source_id")[row], this.pairs!.numbers("target_id")[row]];
      items.push({
        x: left + places.get(to)! * size, y: HEAD + places.get(from)! * size, w: size, h: size,
        lines: [`${this.pairs!.texts("source")[row]} → ${this.pairs!.texts("target")[row]}`, ["messages", count(this.value("links", row))], ["volume", amount(this.value("volume", row))], ["time in flight", duration(this.value("seconds", row))]],
        choose: () => store.update({ selection: { ...store.state.selection, containers: [...new Set([from, to])] } }),
      });
    }
    this.matrix.show(items);
  }

  private drawMatrix(context: CanvasRenderingContext2D): void {
    const { members, size, left } = this.cell();
    if (!this.pairs || members.length === 0) return;
    const places = new Map(members.map((id, at) => [id, at]));
    const metric = this.counted();
    const most = Math.max(1e-300, ...Array.from({ length: this.pairs.length }, (_, row) => this.value(metric, row)));
    const empty = toColor(this.page.theme("--panel"));
    const full = this.page.isDark() ? rgb(120, 200, 255) : rgb(8, 70, 140);
    context.fillStyle = css(empty);
    context.fillRect(left, HEAD, size * members.length, size * members.length);
    for (let row = 0; row < this.pairs.length; row++) {
      const [y, x] = [places.get(this.pairs.numbers("source_id")[row])!, places.get(this.pairs.numbers("target_id")[row])!];
      context.fillStyle = css(toward(empty, full, 0.12 + 0.88 * (this.value(metric, row) / most)));
      const gap = size > 6 ? 1 : 0;
      context.fillRect(left + x * size, HEAD + y * size, Math.max(1, size - gap), Math.max(1, size - gap));
    }
    context.font = `11px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.fillStyle = this.page.theme("--quiet");
    context.fillText(`from ↓  to →   darkest: ${metric === "seconds" ? duration(most) : `${amount(most)} ${metric === "links" ? "messages" : ""}`}`, left, HEAD / 2);
    const step = Math.max(1, Math.ceil(13 / size));
    context.fillStyle = this.page.theme("--ink");
    members.forEach((id, at) => {
      if (at % step !== 0) return;
      let text = this.page.trace.byId.get(id)?.name ?? "";
      while (text.length > 3 && context.measureText(text).width > LABELS - 14) text = `${text.slice(0, -2)}…`;
      context.fillText(text, LABELS - 6 - context.measureText(text).width, HEAD + (at + 0.5) * size);
    });
  }

  private phaseX(time: number): number {
    const { start, stop } = this.page.store.state;
    return LABELS + ((time - start) / (stop - start)) * (this.curve.width - LABELS - 8);
  }

  private showCurve(): void {
    const rows = this.phases;
    const column = (name: string, row: number) => Number(rows!.column(name)[row] ?? 0);
    this.curve.show(
      Array.from({ length: rows?.length ?? 0 }, (_, row) => {
        const [from, to] = [column("start_time", row), column("end_time", row)];
        const x = Math.max(LABELS, this.phaseX(from));
        return {
          x, y: 4, w: Math.max(3, Math.min(this.curve.width, this.phaseX(to)) - x), h: this.curve.height - 8,
          lines: [`phase ${column("phase", row)}`, ["messages", count(column("messages", row))], ["communities", count(column("communities", row))], ["difference to before", column("difference", row).toFixed(3)], ["height", column("height", row).toFixed(3)]],
          choose: () => this.page.store.update({ selection: { ...this.page.store.state.selection, start: from, stop: to } }),
          open: () => this.control.go(from, to),
        };
      }),
    );
  }

  private drawCurve(context: CanvasRenderingContext2D): void {
    const rows = this.phases;
    context.font = `11px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.fillStyle = this.page.theme("--quiet");
    context.fillText("CommGram", 8, 14);
    context.fillText("1", LABELS - 14, 10);
    context.fillText("0", LABELS - 14, this.curve.height - 10);
    if (!rows || rows.length === 0) return;
    const room = this.curve.height - 20;
    const y = (height: number) => 10 + (1 - height) * room;
    const [starts, stops, heights] = ["start_time", "end_time", "height"].map((name) => rows.column(name));
    context.fillStyle = this.page.theme("--line");
    context.fillRect(LABELS, y(0), this.curve.width - LABELS - 8, 1);
    context.strokeStyle = this.page.theme("--accent");
    context.fillStyle = this.page.theme("--selection");
    context.lineWidth = 2;
    context.beginPath();
    for (let row = 0; row < rows.length; row++) {
      const x = this.phaseX((starts[row] + stops[row]) / 2);
      if (row === 0) context.moveTo(x, y(heights[row] ?? 0));
      else context.lineTo(x, y(heights[row] ?? 0));
    }
    context.stroke();
    context.fillStyle = this.page.theme("--accent");
    for (let row = 0; row < rows.length; row++) context.fillRect(this.phaseX((starts[row] + stops[row]) / 2) - 2.5, y(heights[row] ?? 0) - 2.5, 5, 5);
  }
}
