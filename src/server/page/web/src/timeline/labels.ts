// The names of rows beside the timeline: a button per container opens and closes it, another selects it.
import { fill, h, style } from "../core/dom";
import { amount } from "../core/format";
import type { Row } from "../core/tree";

export interface LabelActions {
  toggle(container: number): void;
  select(container: number, add: boolean): void;
}

/** Fills the column of labels with the rows in sight. */
export function drawLabels(
  element: HTMLElement,
  rows: Row[],
  isSelected: (container: number) => boolean,
  isFaded: (row: Row) => boolean,
  most: (row: Row) => number,
  actions: LabelActions,
): void {
  fill(element, ...rows.map((row) => label(row, isSelected(row.container.id), isFaded(row), most(row), actions)));
}

function label(row: Row, selected: boolean, faded: boolean, most: number, actions: LabelActions): HTMLElement {
  const { container } = row;
  const className = `row-label${selected ? " selected" : ""}${faded ? " faded" : ""}${row.isFirst ? "" : " further"}`;
  const element = style(h("div", { class: className }), {
    top: `${row.top}px`,
    height: `${row.height}px`,
    "padding-left": `${6 + container.depth * 12}px`,
  });
  const kind = row.kind === "variable" ? `${row.type}${most > 0 ? ` ≤ ${amount(most)}` : ""}` : row.kind === "event" ? "events" : row.type;
  if (!row.isFirst) {
    element.append(h("span", { class: "twig none" }), h("span", { class: "name quiet", title: kind }, kind));
    return element;
  }
  if (container.isLeaf) element.append(h("span", { class: "twig none" }));
  else {
    const text = `${row.isOpen ? "Collapse" : "Expand"} ${container.name}`;
    element.append(
      h("button", { type: "button", class: "twig", "aria-expanded": String(row.isOpen), "aria-label": text, "data-toggle": container.id, onclick: () => actions.toggle(container.id) }, row.isOpen ? "▾" : "▸"),
    );
  }
  const title = `${container.path} (${container.type})${row.lifted ? `, mean of ${container.leaves}` : ""}`;
  element.append(
    h("button", { type: "button", class: "name", title, "aria-pressed": String(selected), onclick: (event: MouseEvent) => actions.select(container.id, event.shiftKey || event.ctrlKey || event.metaKey) }, container.name),
  );
  if (row.kind === "variable" || row.kind === "event") element.append(h("span", { class: "name quiet", title: kind }, kind));
  if (row.lifted) element.append(h("span", { class: "badge" }, container.leaves));
  return element;
}
