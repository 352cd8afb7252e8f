// Two runs below each other with one zoom: aligned at the start, at the end, or normalized to the same length; and what
// takes longer in one than in the other.
import profileSql from "../../../../../../sql/page/profile.sql?raw";
import type { TraceEntry } from "../core/api";
import type { Rows } from "../core/api";
import { css } from "../core/color";
import { fill, h, style } from "../core/dom";
import { duration } from "../core/format";
import { all } from "../core/selection";
import { filled } from "../core/sqltext";
import type { PageState, Step } from "../core/store";
import { colorOf, loadTrace, type TraceInfo } from "../core/trace";
import { type Page, View } from "../core/view";
import type { WindowControl } from "../timeline/gestures";
import { RunPicture } from "./run";

export class CompareView extends View {
  readonly id = "compare";
  private readonly runs: [RunPicture, RunPicture];
  private readonly titles = [h("h3", {}, "This run"), h("h3", {}, "Other run")];
  private readonly others = h("select", { "aria-label": "Other run" });
  private readonly align = h("select", { "aria-label": "Alignment" });
  private readonly difference = h("div", { class: "document", tabindex: 0, role: "region", "aria-label": "Difference" });
  private other: TraceInfo | null = null;

  constructor(page: Page, control: WindowControl, entries: TraceEntry[]) {
    super(page, "Compare");
    let timer = 0;
    const again = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => this.isVisible && void this.load(page.store.state), 80);
    };
    this.runs = [new RunPicture(page, "This run", control, again), new RunPicture(page, "Other run", control, again)];
    this.others.append(h("option", { value: "" }, "choose a run"), ...entries.map((entry) => h("option", { value: entry.name }, entry.name)));
    for (const [value, text] of [["start", "aligned at the start"], ["end", "aligned at the end"], ["normalized", "normalized"]]) this.align.append(h("option", { value }, text));
    this.others.addEventListener("change", () => page.store.update({ other: this.others.value }));
    this.align.addEventListener("change", () => page.store.update({ align: this.align.value }));
    this.tools.append(h("label", {}, "with", this.others), this.align);
    this.content.append(h("div", { class: "compare" }, this.titles[0], this.runs[0].element, this.titles[1], this.runs[1].element, this.difference));
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    this.others.value = state.other;
    this.align.value = state.align;
    if (!changed || (["trace", "other", "align", "start", "stop"] as const).some((name) => changed.has(name))) void this.load(state);
    else for (const run of this.runs) run.paint();
  }

  /** The window of the other run that belongs to the one of this. */
  private otherWindow(state: PageState, other: TraceInfo): [number, number] {
    const { trace } = this.page;
    if (state.align === "normalized") {
      const factor = (other.stop - other.start) / (trace.stop - trace.start);
      return [other.start + (state.start - trace.start) * factor, other.start + (state.stop - trace.start) * factor];
    }
    const shift = state.align === "end" ? other.stop - trace.stop : other.start - trace.start;
    return [state.start + shift, state.stop + shift];
  }

  private async load(state: PageState): Promise<void> {
    const { trace } = this.page;
    if (state.other === "") {
      this.say("Choose another run of the store to compare with.");
      fill(this.difference);
      return;
    }
    this.clear();
    try {
      if (this.other?.name !== state.other) this.other = state.other === trace.name ? trace : await loadTrace(state.other);
    } catch (error) {
      return this.fail("runs", error);
    }
    const other = this.other!;
    const windows: [number, number][] = [[state.start, state.stop], this.otherWindow(state, other)];
    const color = (value: string) => (trace.colors.has(value) ? colorOf(trace, value) : colorOf(other, value));
    const jobs = [trace, other].map(async (run, at) => {
      const window = windows[at];
      fill(this.titles[at], run.name, h("span", { class: "note" }, `  ${window[0].toPrecision(6)} s to ${window[1].toPrecision(6)} s`));
      const wanted = this.runs[at].statement(run, window);
      const answer = wanted && (await this.ask(`states of ${at === 0 ? "this run" : "the other run"}`, wanted.sql, run.name));
      if (answer || !wanted) this.runs[at].show(answer, wanted?.columns ?? null, color);
    });
    const profiles = [trace, other].map((run, at) => this.ask(`profile of ${at === 0 ? "this run" : "the other run"}`, filled(profileSql, { start: windows[at][0], stop: windows[at][1], condition: all() }), run.name));
    await Promise.all(jobs);
    const [mine, theirs] = await Promise.all(profiles);
    if (mine && theirs) this.showDifference(mine, theirs, [trace.name, other.name], (value) => css(color(value)));
  }

  /** Time per value in both windows, the largest difference first. */
  private showDifference(mine: Rows, theirs: Rows, names: [string, string], color: (value: string) => string): void {
    const times = new Map<string, [number, number]>();
    [mine, theirs].forEach((rows, at) => {
      for (let row = 0; row < rows.length; row++) {
        const value = rows.texts("value")[row];
        const pair = times.get(value) ?? [0, 0];
        pair[at] += rows.numbers("seconds")[row];
        times.set(value, pair);
      }
    });
    const lines = [...times].sort((a, b) => Math.abs(b[1][1] - b[1][0]) - Math.abs(a[1][1] - a[1][0]) || (a[0] < b[0] ? -1 : 1)).slice(0, 30);
    const most = Math.max(1e-300, ...lines.map(([, [one, two]]) => Math.abs(two - one)));
    const table = lines.map(([value, [one, two]]) => {
      const by = two - one;
      const bar = style(h("i", { class: "bar-fill" }), { width: `${(Math.abs(by) / most) * 50}%`, "margin-left": by < 0 ? `${50 - (Math.abs(by) / most) * 50}%` : "50%", "background-color": color(value) });
      return h("tr", {}, h("th", { scope: "row" }, h("span", { class: "legend-rest" }, style(h("i", { class: "swatch" }), { "background-color": color(value) }), value)),
        h("td", { class: "number" }, duration(one)), h("td", { class: "number" }, duration(two)), h("td", { class: "number" }, `${by > 0 ? "+" : by < 0 ? "−" : ""}${duration(Math.abs(by))}`), h("td", { class: "bar-cell" }, bar));
    });
    const heads = ["Value", names[0], names[1], "Difference"].map((head, at) => h("th", { scope: "col", class: at ? "number" : undefined }, head));
    fill(this.difference, h("h3", {}, "What takes longer, left in the first, right in the second"), h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads, h("td", {}))), h("tbody", {}, ...table)));
  }
}
