// The values and their colors; a click isolates one, with shift or control several.
import { css } from "./color";
import { fill, h, style } from "./dom";
import { percent } from "./format";
import type { PageState } from "./store";
import { colorOf } from "./trace";
import type { Page } from "./view";

export class Legend {
  readonly element = h("section", { class: "legend", "aria-label": "Legend" });

  constructor(private readonly page: Page, private readonly editColors: () => void) {}

  update(state: PageState): void {
    const { trace } = this.page;
    const total = trace.values.reduce((sum, value) => sum + value.ticks, 0) || 1;
    const chosen = new Set(state.selection.values);
    const names = [...trace.shown, ...state.selection.values.filter((name) => !trace.shown.includes(name))];
    const items = names.map((name) => {
      const ticks = trace.values[trace.places.get(name) ?? -1]?.ticks ?? 0;
      const swatch = style(h("i", { class: "swatch" }), { "background-color": css(colorOf(trace, name)) });
      const attributes = {
        type: "button", class: "legend-item", "aria-pressed": String(chosen.has(name)), title: name,
        onclick: (event: MouseEvent) => this.choose(name, event.shiftKey || event.ctrlKey || event.metaKey),
      };
      return h("li", {}, h("button", attributes, swatch, h("span", { class: "name" }, name), h("span", { class: "share" }, percent(ticks / total))));
    });
    const rest = trace.values.length - trace.shown.length;
    if (rest > 0) items.push(h("li", { class: "legend-rest" }, style(h("i", { class: "swatch" }), { "background-color": "rgb(190, 190, 190)" }), `${rest} other values`));
    const all = chosen.size > 0 && h("button", { type: "button", class: "quiet", onclick: () => this.set([]) }, "Show all");
    const edit = names.length > 0 && h("button", { type: "button", class: "quiet", title: "Change the colors of values (C)", onclick: this.editColors }, "Colors");
    const head = h("header", {}, h("h2", {}, "Values"), h("span", { class: "grow" }), all, edit);
    if (items.length === 0) fill(this.element, head, h("p", { class: "note" }, "This trace has no states."));
    else fill(this.element, head, h("ul", {}, ...items));
  }

  private choose(name: string, add: boolean): void {
    const { values } = this.page.store.state.selection;
    const has = values.includes(name);
    const rest = values.filter((value) => value !== name);
    this.set(add ? (has ? rest : [...rest, name]) : has && rest.length === 0 ? [] : [name]);
  }

  private set(values: string[]): void {
    const { selection } = this.page.store.state;
    this.page.store.update({ selection: { ...selection, values } });
  }
}
