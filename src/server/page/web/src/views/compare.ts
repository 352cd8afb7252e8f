// Two runs below each other with one zoom: aligned at the start, at the end, at a marker, or normalized to the same length;
// and what takes longer in one than in the other, as a table or as a map of containers and slices.
import profileSql from "../../../../../../sql/page/profile.sql?raw";
import { Delay } from "../core/activity";
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
import { differenceStatement, DifferenceMap, share, signed, SLICES, valuesOf } from "./difference";
import { type Marker, markerStatement, sharedMarkers } from "./markers";
import { RunPicture } from "./run";

/** Cells of the map that the table beside it lists. */
const MOST_CELLS = 40;

export class CompareView extends View {
  readonly id = "compare";
  private readonly runs: [RunPicture, RunPicture];
  private readonly titles = [h("h3", {}, "This run"), h("h3", {}, "Other run")];
  private readonly others = h("select", { "aria-label": "Other run" });
  private readonly align = h("select", { "aria-label": "Alignment" });
  private readonly difference = h("div", { class: "document", tabindex: 0, role: "region", "aria-label": "Difference" });
  private readonly marker = h("select", { "aria-label": "Marker" });
  private readonly what = h("select", { "aria-label": "What is shown" });
  private readonly value = h("select", { "aria-label": "Value of the map" });
  private readonly map: DifferenceMap;
  private readonly body = h("div", { class: "compare" });
  private other: TraceInfo | null = null;
  private markers: { key: string; list: Marker[] } = { key: "", list: [] };
  private differences: { key: string; rows: Rows } | null = null;

  constructor(page: Page, control: WindowControl, entries: TraceEntry[]) {
    super(page, "Compare");
    const resized = new Delay(80, () => this.isVisible && void this.load(page.store.state));
    const again = () => resized.start();
    this.runs = [new RunPicture(page, "This run", control, again), new RunPicture(page, "Other run", control, again)];
    this.others.append(h("option", { value: "" }, "choose a run"), ...entries.map((entry) => h("option", { value: entry.name }, entry.name)));
    this.map = new DifferenceMap(page, control);
    for (const [value, text] of [["start", "aligned at the start"], ["end", "aligned at the end"], ["marker", "aligned at a marker"], ["normalized", "normalized"]]) this.align.append(h("option", { value }, text));
    for (const [value, text] of [["runs", "both runs"], ["map", "map of the difference"]]) this.what.append(h("option", { value }, text));
    const option = (name: string, value: string) => page.store.update({ options: { ...page.store.state.options, [name]: value } });
    this.marker.addEventListener("change", () => option("marker", this.marker.value));
    this.what.addEventListener("change", () => option("compare", this.what.value));
    this.value.addEventListener("change", () => option("differs", this.value.value));
    this.others.addEventListener("change", () => page.store.update({ other: this.others.value }));
    this.align.addEventListener("change", () => page.store.update({ align: this.align.value }));
    this.tools.append(h("label", {}, "with", this.others), this.what, this.align, this.marker, this.value);
    this.body.append(this.titles[0], this.runs[0].element, this.titles[1], this.runs[1].element, this.map.element, this.difference);
    this.content.append(this.body);
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    this.others.value = state.other;
    this.align.value = state.align;
    const isMap = this.isMap(state);
    this.what.value = isMap ? "map" : "runs";
    this.align.hidden = isMap;
    this.marker.hidden = isMap || state.align !== "marker";
    this.value.hidden = !isMap || this.value.options.length === 0;
    this.body.classList.toggle("as-map", isMap);
    if (!changed || (["trace", "other", "align", "options", "start", "stop"] as const).some((name) => changed.has(name))) void this.load(state);
    else if (isMap) this.map.picture.paint();
    else for (const run of this.runs) run.paint();
  }

  private isMap(state: PageState): boolean {
    return state.options.compare === "map";
  }

  /** The window of the other run that belongs to the one of this. */
  private otherWindow(state: PageState, other: TraceInfo): [number, number] {
    const { trace } = this.page;
    if (state.align === "normalized") {
      const factor = (other.stop - other.start) / (trace.stop - trace.start);
      return [other.start + (state.start - trace.start) * factor, other.start + (state.stop - trace.start) * factor];
    }
    const marker = state.align === "marker" ? this.chosenMarker(state) : null;
    const shift = marker ? marker.times[1] - marker.times[0] : state.align === "end" ? other.stop - trace.stop : other.start - trace.start;
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
    if (this.isMap(state)) return this.loadMap(state, other);
    this.withdraw("map of the difference");
    if (state.align === "marker" && !(await this.loadMarkers(state, other))) return;
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

  private chosenMarker(state: PageState): Marker | null {
    const { list } = this.markers;
    return list.find((marker) => marker.key === state.options.marker) ?? list[0] ?? null;
  }

  /** Asks for the markers that both runs have, and offers them; false when a newer question took its place. */
  private async loadMarkers(state: PageState, other: TraceInfo): Promise<boolean> {
    const { trace } = this.page;
    const key = `${trace.name}\u0000${other.name}`;
    const answers = await Promise.all([trace, other].map((run, at) => this.ask(`markers of ${at === 0 ? "this run" : "the other run"}`, markerStatement(), run.name)));
    const [mine, theirs] = answers;
    if (!mine || !theirs) return false;
    this.markers = { key, list: sharedMarkers([trace.name, other.name], [mine, theirs]) };
    fill(this.marker, ...this.markers.list.map((marker) => h("option", { value: marker.key }, marker.text)));
    const chosen = this.chosenMarker(state);
    this.marker.value = chosen?.key ?? "";
    const wanted = state.options.marker ?? "";
    if (!chosen) this.say("The runs have no state, event or note in common: they are aligned at the start.");
    else if (wanted !== "" && chosen.key !== wanted) this.say(`Not both runs have the marker ${wanted.replace(/^\w+:/, "")}: they are aligned at ${chosen.text}.`);
    return true;
  }

  /** The map of both runs as a whole, and its largest cells. */
  private async loadMap(state: PageState, other: TraceInfo): Promise<void> {
    const { trace } = this.page;
    for (const layer of [...this.statements.keys()]) if (layer !== "map of the difference") this.withdraw(layer);
    const key = `${trace.name}\u0000${other.name}`;
    if (this.differences?.key !== key || !this.statements.has("map of the difference")) {
      const rows = await this.ask("map of the difference", differenceStatement(trace, other));
      if (!rows) return;
      this.differences = { key, rows };
    }
    const { rows } = this.differences;
    const values = valuesOf(rows);
    const value = values.includes(state.options.differs) ? state.options.differs : (values[0] ?? "");
    fill(this.value, ...values.map((name) => h("option", { value: name }, name)));
    this.value.value = value;
    this.value.hidden = values.length === 0;
    this.map.show(trace, rows, value);
    this.showCells(value, rows.length > 0 ? Number(rows.column("matched")[0]) : 0);
    if (rows.length === 0) this.say("Neither run has states.");
  }

  /** The cells of the map that differ most. */
  private showCells(value: string, matched: number): void {
    const cells = this.map.cells.filter((cell) => cell.difference !== 0).sort((a, b) => Math.abs(b.difference ?? 0) - Math.abs(a.difference ?? 0) || (a.path < b.path ? -1 : 1) || a.slice - b.slice);
    const lines = cells.slice(0, MOST_CELLS).map((cell) =>
      h("tr", {}, h("th", { scope: "row", class: "wrap" }, cell.path), h("td", { class: "number" }, `${cell.slice + 1}`), h("td", { class: "number" }, `${this.map.timeOf(cell.slice).toPrecision(6)} s`),
        h("td", { class: "number" }, share(cell.left)), h("td", { class: "number" }, share(cell.right)), h("td", { class: "number" }, signed(cell.difference))));
    const heads = ["Container", "Slice", "Start", "This run", "Other run", "Difference"].map((head, at) => h("th", { scope: "col", class: at ? "number" : undefined }, head));
    const about = h("p", { class: "note" }, `Share of the time in ${value}; each run is cut into ${SLICES} slices, and ${matched} containers are in both. Table has all values.`);
    fill(this.difference, h("h3", {}, "Where the runs differ most"), about, cells.length === 0 ? h("p", {}, "They do not differ in this value.") : h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...lines)));
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
