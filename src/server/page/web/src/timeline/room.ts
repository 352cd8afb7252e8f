// The room of the timeline, and what of its rows is asked for in it. The room is known before the frame of the page is
// there: a frame without content, of the same classes, is laid out for a moment. It has no text, which takes a browser that has
// just begun longer than all else, since it looks for fonts: heights of bars do not depend on what is written in them.
import { h, style } from "../core/dom";
import type { Row } from "../core/tree";

const LABEL_WIDTH = 190;
/** The share of the room that pinned rows may take. */
const MOST_PINNED = 0.6;
export const RULER_HEIGHT = 26;
/** How far rows are asked for: those in sight, which is how the first picture of a trace begins, or those around them too. */
export type Reach = "sight" | "around";
/** Rows that are asked for at once, whether they are in sight or not. */
const ALL_ROWS: Record<Reach, number> = { sight: 100, around: 250 };

/** How many rows are asked for at once; the option of the address decides of the first picture where it says something. */
export function mostRows(reach: Reach, option: string | undefined): number {
  if (reach === "around" || option === undefined) return ALL_ROWS[reach];
  return option === "1" ? 0 : ALL_ROWS.around;
}

/** What can be seen of the rows, in pixels of the page, with the names beside them: as of an element. */
export interface Room {
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly scrollTop: number;
}

/** The pixels of the plot in so much room. */
export function plotPixels(clientWidth: number, scale: number): number {
  return Math.max(50, Math.round((clientWidth - LABEL_WIDTH) * scale));
}

/** The rows to ask for: all of them, or those in sight, with as many above and below where it reaches around them. */
export function wantedRows(rows: Row[], { scrollTop: top, clientHeight: room }: Room, reach: Reach, option: string | undefined): Row[] {
  if (rows.length <= mostRows(reach, option)) return rows;
  const margin = reach === "sight" ? 0 : room;
  return rows.filter((row) => row.pinned || (row.top + row.height >= top - margin && row.top <= top + room + margin));
}

/** Rows, and how high those are that stay at the top: none where they would take too much of the room from others. */
export function withPins(rows: Row[], room: number): [Row[], number] {
  const height = rows.reduce((sum, row) => sum + (row.pinned ? row.height : 0), 0);
  return height <= room * MOST_PINNED ? [rows, height] : [rows.map((row) => ({ ...row, pinned: false })), 0];
}

/** How far rows are scrolled so that a row is in sight, with its neighbors, below those that are pinned. */
export function scrolledTo(row: Row, { scrollTop, clientHeight }: Room, pinnedHeight: number): number {
  const isSeen = row.pinned || (row.top >= scrollTop + pinnedHeight && row.top + row.height <= scrollTop + clientHeight);
  return isSeen ? scrollTop : Math.round(row.top - clientHeight / 3);
}

/** The room that the timeline will have; null in narrow windows, where bars take more lines the more they hold. */
export function expectedRoom(): Room | null {
  const button = () => h("button", { type: "button" });
  const head = h("header", { class: "head" }, h("div", { class: "bar top" }, h("nav", { class: "tabs" }, button())), h("div", { class: "bar second" }, button()));
  const scroller = h("div", { class: "tl-scroll" });
  const ruler = style(h("canvas", { class: "ruler" }), { height: `${RULER_HEIGHT}px` });
  const timeline = h("div", { class: "timeline" }, h("div", { class: "tl-head" }, h("div", { class: "tl-corner" }), ruler), scroller);
  const view = h("section", { class: "view" }, h("div", { class: "view-bar" }, button()), h("div", { class: "view-content" }, timeline));
  const aside = h("aside");
  const main = h("main", {}, h("div", { class: "slots" }, h("div", { class: "slot" }, view)), aside);
  const frame = h("div", { class: "expected", "aria-hidden": "true" }, h("div", { class: "app" }, head, h("section", { class: "strip" }), main));
  document.body.append(frame);
  const { clientWidth, clientHeight } = scroller;
  const isNarrow = aside.offsetWidth === 0;
  frame.remove();
  return isNarrow ? null : { clientWidth, clientHeight, scrollTop: 0 };
}
