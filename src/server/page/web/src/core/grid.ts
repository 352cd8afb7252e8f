// A table that scrolls over any number of rows: only those in sight are elements.
import type { Rows } from "./api";
import { fill, h, style } from "./dom";
import { cell } from "./format";

const ROW_HEIGHT = 24;
/** Rows beyond which browsers lose places of pixels. */
const MOST_ROWS = 1_000_000;

export class Grid {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "grid-row grid-head", role: "row" });
  private readonly body = h("div", { class: "grid-body", role: "rowgroup" });
  private readonly space = h("div", { class: "grid-space", role: "none" });
  private readonly table: HTMLElement;
  private rows: Rows | null = null;
  private widths: number[] = [];
  private drawn = "";

  /** A column's head was asked to sort. */
  onsort: ((column: string) => void) | null = null;
  /** A row was chosen. */
  onrow: ((row: number) => void) | null = null;
  sorted: { column: string; descending: boolean } | null = null;

  constructor(label: string) {
    this.table = h("div", { class: "grid", role: "table", "aria-label": label, tabindex: 0, hidden: true }, h("div", { role: "rowgroup", class: "grid-top" }, this.head), this.space);
    this.space.append(this.body);
    this.element = this.table;
    this.table.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.table);
  }

  show(rows: Rows): void {
    this.rows = rows;
    this.table.hidden = rows.names.length === 0;
    this.table.setAttribute("aria-rowcount", String(rows.length + 1));
    this.widths = rows.names.map((name, column) => this.widthOf(name, column));
    const total = this.widths.reduce((sum, width) => sum + width, 0);
    fill(this.head, ...rows.names.map((name, column) => this.headCell(name, column)));
    style(this.head, { width: `${total}px` });
    style(this.space, { height: `${Math.min(rows.length, MOST_ROWS) * ROW_HEIGHT}px`, width: `${total}px` });
    this.table.scrollTop = 0;
    this.drawn = "";
    this.draw();
  }

  private headCell(name: string, column: number): HTMLElement {
    const mark = this.sorted?.column === name ? (this.sorted.descending ? " ▼" : " ▲") : "";
    const order = mark ? (this.sorted!.descending ? "descending" : "ascending") : undefined;
    const content = this.onsort ? h("button", { type: "button", onclick: () => this.onsort?.(name) }, name + mark) : h("span", {}, name);
    return style(h("div", { class: "grid-cell", role: "columnheader", "aria-sort": order }, content), { width: `${this.widths[column]}px` });
  }

  private widthOf(name: string, column: number): number {
    const rows = this.rows!;
    let longest = name.length + 2;
    for (let row = 0; row < Math.min(rows.length, 50); row++) {
      longest = Math.max(longest, Math.min(40, cell(rows.column(name)[row]).length));
    }
    return Math.round(Math.min(340, (column >= 0 ? 20 : 0) + longest * 7.4));
  }

  private draw(): void {
    const rows = this.rows;
    if (!rows) return;
    const first = Math.max(0, Math.floor(this.table.scrollTop / ROW_HEIGHT) - 4);
    const last = Math.min(rows.length, MOST_ROWS, first + Math.ceil(this.table.clientHeight / ROW_HEIGHT) + 10);
    const key = `${first} ${last}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const isNumber = rows.types.map((type) => /integer|float|decimal/.test(type));
    const elements: HTMLElement[] = [];
    for (let row = first; row < last; row++) {
      const cells = rows.names.map((name, column) => {
        const value = rows.column(name)[row];
        const isNull = value === null || value === undefined;
        const text = isNull ? "NULL" : cell(value);
        const className = `grid-cell${isNumber[column] ? " number" : ""}${isNull ? " null" : ""}`;
        return style(h("div", { class: className, role: "cell", title: text.length > 30 ? text : undefined }, text), { width: `${this.widths[column]}px` });
      });
      const element = h("div", { class: "grid-row", role: "row", "aria-rowindex": row + 2 }, ...cells);
      if (this.onrow) element.addEventListener("click", () => this.onrow?.(row));
      elements.push(element);
    }
    fill(this.body, ...elements);
    style(this.body, { transform: `translateY(${first * ROW_HEIGHT}px)` });
  }
}
