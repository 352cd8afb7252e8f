// The profile of the selection: time per state, why it waits, its longest states. Every line sets the selection in turn.
import longestSql from "../../../../../../sql/page/longest.sql?raw";
import profileSql from "../../../../../../sql/page/profile.sql?raw";
import waitsSql from "../../../../../../sql/page/waits.sql?raw";
import type { Rows } from "../core/api";
import { css } from "../core/color";
import { fill, h, style } from "../core/dom";
import { count, duration, percent } from "../core/format";
import { all, concernsSelection, containersIn, timeOf, valuesIn } from "../core/selection";
import { filled } from "../core/sqltext";
import type { PageState, Step } from "../core/store";
import { colorOf } from "../core/trace";
import { type Page, View } from "../core/view";
import type { WindowControl } from "../timeline/gestures";

export class ProfileView extends View {
  readonly id = "profile";
  private readonly states = h("section", {});
  private readonly waits = h("section", {});
  private readonly longest = h("section", {});
  private readonly about = h("p", { class: "note" });

  constructor(page: Page, private readonly control: WindowControl) {
    super(page, "Profile");
    this.content.append(h("div", { class: "document", tabindex: 0, role: "region", "aria-label": "Profile of the selection" }, this.about, this.states, this.waits, this.longest));
  }

  protected override drawing(_: PageState) {
    return { view: "profile", options: {} };
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture" || !concernsSelection(changed)) return;
    const { trace } = this.page;
    const [start, stop] = timeOf(state);
    const { containers } = state.selection;
    const where = containers.length === 0 ? "all containers" : `${containers.map((id) => trace.byId.get(id)?.name).slice(0, 3).join(", ")}${containers.length > 3 ? ` and ${containers.length - 3} more` : ""}`;
    this.about.textContent = `${duration(stop - start)} from second ${start.toPrecision(7)}, ${where}`;
    if (trace.counts.states === 0) {
      this.say(`The trace ${trace.name} has no states.`);
      for (const section of [this.states, this.waits, this.longest]) fill(section);
      return;
    }
    this.clear();
    void this.load("time per state", filled(profileSql, { start, stop, condition: all(containersIn(state)) }), (rows) => this.showStates(rows));
    void this.load("wait states", filled(waitsSql, { start, stop, condition: all(containersIn(state), valuesIn(state, "state")) }), (rows) => this.showWaits(rows));
    void this.load("longest states", filled(longestSql, { start, stop, condition: all(containersIn(state), valuesIn(state)) }), (rows) => this.showLongest(rows));
  }

  private async load(layer: string, sql: string, show: (rows: Rows) => void): Promise<void> {
    const rows = await this.ask(layer, sql);
    if (rows) show(rows);
  }

  private showStates(rows: Rows): void {
    const { trace, store } = this.page;
    const [types, values, seconds, containers] = [rows.texts("type"), rows.texts("value"), rows.numbers("seconds"), rows.numbers("containers")];
    const total = Array.from(seconds).reduce((sum, value) => sum + value, 0);
    const manyTypes = new Set(Array.from(types)).size > 1;
    const chosen = new Set(store.state.selection.values);
    const choose = (value: string) => store.update({ selection: { ...store.state.selection, values: chosen.has(value) ? [] : [value] } });
    const lines = Array.from({ length: Math.min(rows.length, 60) }, (_, row) =>
      h("tr", { class: chosen.has(values[row]) ? "selected" : undefined },
        h("th", { scope: "row" }, h("button", { type: "button", class: "legend-item", "aria-pressed": String(chosen.has(values[row])), onclick: () => choose(values[row]) },
          style(h("i", { class: "swatch" }), { "background-color": css(colorOf(trace, values[row])) }), h("span", { class: "name" }, values[row]))),
        manyTypes && h("td", { class: "note" }, types[row]),
        h("td", { class: "number" }, duration(seconds[row])), h("td", { class: "number" }, percent(seconds[row] / total)), h("td", { class: "number" }, count(Number(containers[row]))),
        h("td", { class: "bar-cell" }, bar(seconds[row] / seconds[0], css(colorOf(trace, values[row])))),
      ));
    const heads = ["Value", ...(manyTypes ? ["Type"] : []), "Time", "Share", "Containers", ""];
    fill(this.states, h("h3", {}, "Time per state"), rows.length === 0 ? h("p", { class: "note" }, "No state in this selection.") : table(heads, lines));
    if (rows.length > 60) this.states.append(h("p", { class: "note" }, `${rows.length - 60} further values: see Table.`));
  }

  private showWaits(rows: Rows): void {
    const [kinds, waits, seconds] = [rows.texts("kind"), rows.numbers("waits"), rows.numbers("seconds")];
    const lines = Array.from({ length: rows.length }, (_, row) =>
      h("tr", {}, h("th", { scope: "row" }, kinds[row]), h("td", { class: "number" }, duration(seconds[row])), h("td", { class: "number" }, count(Number(waits[row]))),
        h("td", { class: "bar-cell" }, bar(seconds[row] / seconds[0], this.page.theme("--accent")))));
    fill(this.waits, h("h3", {}, "Why it waits"), rows.length === 0 ? h("p", { class: "note" }, "No waiting state in this selection.") : table(["Kind", "Time", "Waits", ""], lines));
  }

  private showLongest(rows: Rows): void {
    const { trace } = this.page;
    const [ids, names, values] = [rows.numbers("container_id"), rows.texts("container"), rows.texts("value")];
    const [starts, stops, lengths] = ["start_time", "end_time", "duration"].map((name) => rows.numbers(name));
    const show = (row: number) => {
      const margin = lengths[row] * 0.2;
      this.control.go(starts[row] - margin, stops[row] + margin);
      this.page.inspect(ids[row], (starts[row] + stops[row]) / 2);
    };
    const lines = Array.from({ length: rows.length }, (_, row) =>
      h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "legend-item", onclick: () => show(row), title: "Zoom to it" },
        style(h("i", { class: "swatch" }), { "background-color": css(colorOf(trace, values[row])) }), h("span", { class: "name" }, values[row]))),
        h("td", {}, names[row]), h("td", { class: "number" }, duration(lengths[row])), h("td", { class: "number" }, `${starts[row].toPrecision(7)} s`)));
    fill(this.longest, h("h3", {}, "Longest states"), rows.length === 0 ? h("p", { class: "note" }, "No state in this selection.") : table(["Value", "Container", "Length", "Start"], lines));
  }
}

function table(heads: string[], lines: HTMLElement[]): HTMLElement {
  const number = /^(Time|Share|Containers|Waits|Length|Start)$/;
  return h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads.map((head) => (head === "" ? h("td", {}) : h("th", { scope: "col", class: number.test(head) ? "number" : undefined }, head))))), h("tbody", {}, ...lines));
}

function bar(share: number, color: string): HTMLElement {
  return style(h("i", { class: "bar-fill" }), { width: `${Math.max(0.5, Math.min(1, share) * 100)}%`, "background-color": color });
}
