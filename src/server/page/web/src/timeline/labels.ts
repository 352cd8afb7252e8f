// The names of rows beside the timeline: a tree in which a click on a name selects the container and one on its twig opens or
// closes it, and which arrow keys walk through. It is one stop of the Tab key, however many rows there are.
import { fill, h, style } from "../core/dom";
import { amount } from "../core/format";
import { keys } from "../core/keys";
import type { Row } from "../core/tree";

export interface LabelActions {
  toggle(container: number): void;
  select(container: number, add: boolean): void;
  pinRow(container: number): void;
  hideRow(container: number): void;
  /** Scrolls until a row is in sight. */
  reveal(row: Row): void;
}

/** How labels look: which are selected, which fade, and the largest mean of a variable. */
export interface LabelLooks {
  isSelected(container: number): boolean;
  isFaded(row: Row): boolean;
  most(row: Row): number;
}

export class RowTree {
  readonly element: HTMLElement;
  private rows: Row[] = [];
  private active: Row | null = null;

  /** `all` gives the rows of the tree, also those that are out of sight. */
  constructor(className: string, label: string, private readonly all: () => Row[], private readonly actions: LabelActions) {
    this.element = h("div", { class: className, role: "tree", "aria-label": label, "aria-multiselectable": "true", tabindex: 0 });
    this.element.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
    this.element.addEventListener("focus", () => {
      if (this.element.matches(":focus-visible")) this.move(0);
    });
  }

  /** Fills the tree with the rows in sight. */
  draw(rows: Row[], looks: LabelLooks): void {
    this.rows = rows;
    this.element.hidden = this.all().length === 0;
    fill(this.element, ...rows.map((row) => this.label(row, looks)));
    this.mark();
  }

  private id(row: Row): string {
    return `row-${row.pinned ? "pinned-" : ""}${row.kind === "query" ? "sql-" : ""}${row.container.id}`;
  }

  private label(row: Row, looks: LabelLooks): HTMLElement {
    const { container } = row;
    const selected = looks.isSelected(container.id);
    const className = `row-label${selected ? " selected" : ""}${looks.isFaded(row) ? " faded" : ""}${row.isFirst ? "" : " further"}`;
    const place = { top: `${row.top}px`, height: `${row.height}px`, "padding-left": `${6 + row.indent * 12}px` };
    const most = looks.most(row);
    const kind = row.kind === "variable" ? `${row.type}${most > 0 ? ` ≤ ${amount(most)}` : ""}` : row.kind === "event" ? "events" : row.type;
    const kindOf = () => h("span", { class: "name quiet", title: kind }, kind);
    if (!row.isFirst) return style(h("div", { class: className }, h("span", { class: "twig none" }), kindOf()), place);
    const title = `${container.path} (${container.type})${row.lifted ? `, mean of ${container.leaves}` : ""}`;
    const isTwig = !container.isLeaf && row.kind !== "query";
    const attributes = { class: className, role: "treeitem", id: this.id(row), "aria-level": row.indent + 1, "aria-selected": String(selected), "aria-expanded": isTwig ? String(row.isOpen) : undefined };
    return style(h("div", { ...attributes, onpointerdown: () => (this.active = row) },
      h("span", { class: "twig", "aria-hidden": "true", onclick: isTwig ? () => this.actions.toggle(container.id) : undefined }, isTwig ? (row.isOpen ? "▾" : "▸") : ""),
      h("span", { class: "name own", title, onclick: (event: MouseEvent) => this.actions.select(container.id, event.shiftKey || event.ctrlKey || event.metaKey) }, container.name),
      (row.kind === "variable" || row.kind === "event" || row.kind === "query") && kindOf(),
      row.lifted && h("span", { class: "badge" }, container.leaves),
      row.kind !== "query" && this.buttons(row)), place);
  }

  /** For the mouse, while it is over the row; keys do the same. */
  private buttons(row: Row): HTMLElement {
    const { id, name } = row.container;
    const button = (text: string, title: string, onclick: () => void) => h("span", { title, onclick }, text);
    return h("span", { class: "row-buttons", "aria-hidden": "true" },
      button(row.pinned ? "⊥" : "⊤", `${row.pinned ? "Unpin" : "Pin"} ${name}`, () => this.actions.pinRow(id)),
      button("✕", `Hide ${name}`, () => this.actions.hideRow(id)));
  }

  private items(): Row[] {
    return this.all().filter((row) => row.isFirst);
  }

  /** The place of the active row among all; rows may have changed since. */
  private at(items: Row[]): number {
    return Math.max(0, items.findIndex((row) => this.active && this.id(row) === this.id(this.active)));
  }

  private move(by: number): void {
    const items = this.items();
    const row = items[Math.min(items.length - 1, Math.max(0, this.at(items) + by))];
    if (!row) return;
    this.active = row;
    if (!row.pinned) this.actions.reveal(row);
    this.mark();
  }

  /** Marks the active row, if it is in sight. */
  private mark(): void {
    const active = this.active && this.rows.some((row) => this.id(row) === this.id(this.active!)) ? this.id(this.active) : null;
    for (const element of this.element.querySelectorAll(".active")) element.classList.remove("active");
    if (active) this.element.setAttribute("aria-activedescendant", active);
    else this.element.removeAttribute("aria-activedescendant");
    if (active) this.element.querySelector(`[id="${active}"]`)?.classList.add("active");
  }

  private key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const items = this.items();
    const row = items[this.at(items)];
    if (!row) return false;
    const { id } = row.container;
    const action = keys.actionOf(event);
    const canOpen = !row.container.isLeaf && row.kind !== "query";
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Home" || event.key === "End") this.move(event.key === "Home" ? -items.length : items.length);
    else if (event.key === "ArrowRight" && canOpen) row.isOpen ? this.move(1) : this.actions.toggle(id);
    else if (event.key === "ArrowLeft" && canOpen && row.isOpen) this.actions.toggle(id);
    else if (event.key === " " || event.key === "Enter") this.actions.select(id, event.key === " " || event.shiftKey);
    else if (action === "open-row" && canOpen) this.actions.toggle(id);
    else if (action === "pin-row") this.actions.pinRow(id);
    else if (action === "hide-row") this.actions.hideRow(id);
    else return event.key === "ArrowLeft" || event.key === "ArrowRight";
    return true;
  }
}
