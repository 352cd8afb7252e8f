// The tools of rows: sort, pin and hide those that are selected, and take it back.
import { hiding, pinning, sorts } from "../core/arrangement";
import { fill, h } from "../core/dom";
import { count } from "../core/format";
import type { PageState } from "../core/store";
import type { Page } from "../core/view";
import type { QueryGroup } from "./query";

export class RowTools {
  readonly elements: HTMLElement[];
  private readonly sort = h("select", { "aria-label": "Sort rows" });
  private readonly pin: HTMLButtonElement;
  private readonly hide: HTMLButtonElement;
  private readonly hidden: HTMLButtonElement;
  private readonly group = h("span", {});
  private offered = "";

  constructor(private readonly page: Page, private readonly run: () => void) {
    const { store } = page;
    const button = (className: string, title: string, onclick: () => void) => h("button", { type: "button", class: className, title, onclick });
    this.sort.addEventListener("change", () => store.update({ sort: this.sort.value }));
    this.pin = button("quiet", "Keep the selected rows at the top (P)", () => store.update(pinning(store.state, store.state.selection.containers)));
    this.hide = button("quiet", "Hide the selected rows (H)", () => store.update({ ...hiding(store.state, store.state.selection.containers), selection: { ...store.state.selection, containers: [] } }));
    this.hidden = button("chip", "Show all rows again", () => store.update({ hidden: [] }));
    this.elements = [h("label", {}, "sort", this.sort), this.pin, this.hide, this.hidden, this.group];
  }

  update(state: PageState, group: QueryGroup | null, isWaiting: boolean): void {
    const { trace } = this.page;
    if (this.offered !== trace.name) {
      this.offered = trace.name;
      fill(this.sort, ...sorts(trace).map(([value, text]) => h("option", { value }, text)));
    }
    if (![...this.sort.options].some((option) => option.value === state.sort)) this.sort.append(h("option", { value: state.sort }, state.sort.replace("value:", "by time in ")));
    this.sort.value = state.sort;
    const chosen = state.selection.containers;
    const isPinned = chosen.length > 0 && chosen.every((id) => state.pinned.includes(id));
    this.pin.disabled = this.hide.disabled = chosen.length === 0;
    this.pin.textContent = isPinned ? "Unpin" : "Pin";
    this.hide.textContent = "Hide";
    this.hidden.hidden = state.hidden.length === 0;
    this.hidden.textContent = `${count(state.hidden.length)} hidden ✕`;
    fill(this.group, ...this.groupTools(state, group, isWaiting));
  }

  /** The group of rows of SQL: how to run what a link brought, and how to close it. */
  private groupTools(state: PageState, group: QueryGroup | null, isWaiting: boolean): HTMLElement[] {
    if (state.rows === "") return [];
    const close = h("button", { type: "button", class: "chip", title: state.rows, "aria-label": "Close the rows of SQL", onclick: () => this.page.store.update({ rows: "" }) }, `SQL rows${group?.left ? `, ${count(group.left)} containers left out` : ""} ✕`);
    return isWaiting ? [h("button", { type: "button", class: "primary", title: state.rows, onclick: this.run }, "Run the SQL of this link"), close] : [close];
  }
}
