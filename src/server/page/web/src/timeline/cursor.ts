// A cursor for those who do not use a mouse: arrow keys move it over rows and columns of the focused timeline, and what is
// under it is said.
import { keys } from "../core/keys";
import type { Row } from "../core/tree";
import type { Page } from "../core/view";
import { columnOf, describe, sentence } from "./describe";
import { stripPlace } from "./strips";
import type { TimelineSurface } from "./surface";

export class TimelineCursor {
  private row = 0;
  private level = 0;
  private time: number | null = null;
  private isActive = false;

  constructor(private readonly view: TimelineSurface, private readonly page: Page) {
    const { canvas } = view;
    canvas.addEventListener("focus", () => {
      this.isActive = canvas.matches(":focus-visible");
      if (this.isActive) void this.tell();
      view.requestFrame();
    });
    canvas.addEventListener("blur", () => {
      this.isActive = false;
      view.requestFrame();
    });
    canvas.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
  }

  private at(): { row: number; time: number } | null {
    const { rows } = this.view.model;
    if (rows.length === 0) return null;
    const { start, stop } = this.page.store.state;
    this.row = Math.min(this.row, rows.length - 1);
    if (this.time === null || this.time < start || this.time >= stop) this.time = (start + stop) / 2;
    this.level = Math.min(this.level, rows[this.row].levels - 1);
    return { row: this.row, time: this.time };
  }

  private key(event: KeyboardEvent): boolean {
    if (!this.isActive || event.ctrlKey || event.metaKey || event.altKey) return false;
    const place = this.at();
    if (!place) return false;
    const { rows } = this.view.model;
    const row = rows[place.row];
    switch (event.key) {
      case "ArrowLeft": this.step(-1, event.shiftKey); break;
      case "ArrowRight": this.step(1, event.shiftKey); break;
      case "ArrowUp":
        if (this.level > 0) this.level--;
        else if (this.row > 0) {
          this.row--;
          this.level = rows[this.row].levels - 1;
        }
        break;
      case "ArrowDown":
        if (this.level + 1 < row.levels) this.level++;
        else if (this.row + 1 < rows.length) {
          this.row++;
          this.level = 0;
        }
        break;
      case "Enter": this.page.inspect(row.container.id, place.time); return true;
      case " ": this.view.select(row.container.id, true); return true;
      default: return this.arrange(event, row);
    }
    this.view.reveal(rows[this.row]);
    void this.tell();
    this.view.requestFrame();
    return true;
  }

  /** Opens, pins or hides the row of the cursor, which stays at its place. */
  private arrange(event: KeyboardEvent, row: Row): boolean {
    const { id, name } = row.container;
    const action = keys.actionOf(event);
    if (action === "open-row") this.view.toggle(id);
    else if (action === "pin-row") this.view.pinRow(id);
    else if (action === "hide-row") this.view.hideRow(id);
    else return false;
    if (action !== "open-row") this.page.say(`${name} ${action === "hide-row" ? "hidden" : this.page.store.state.pinned.includes(id) ? "pinned" : "unpinned"}`);
    this.view.canvas.focus();
    return true;
  }

  /** To the next span of columns, or with shift to the next column. */
  private step(by: number, fine: boolean): void {
    const { state } = this.page.store;
    const { model } = this.view;
    const data = model.dataOf(model.rows[this.row]);
    const columns = model.columns();
    if (!columns || this.time === null) return;
    const column = columnOf(columns, this.time);
    const span = fine || !data ? null : data.at(model.rows[this.row], this.level, column);
    const next = span ? (by < 0 ? span.first - 1 : span.last + 1) : column + by;
    const time = columns.start + (next + 0.5) * columns.length;
    if (time >= state.stop) this.view.control.pan(0.2);
    if (time < state.start) this.view.control.pan(-0.2);
    if (time >= this.page.trace.start && time < this.page.trace.stop) this.time = time;
  }

  /** Says what is under the cursor, as soon as it is known. */
  private async tell(): Promise<void> {
    const before = this.at();
    if (!before) return;
    await this.view.askExact(this.view.model.rows[before.row]);
    const place = this.at();
    if (!place || place.row !== before.row || place.time !== before.time) return;
    this.page.say(sentence(describe(this.view.model, this.page.store.state, this.view.model.rows[place.row], this.level, place.time)));
  }

  /** Where the cursor is drawn: the span under it. */
  place(): { left: number; width: number; top: number; height: number } | null {
    const place = this.isActive ? this.at() : null;
    if (!place) return null;
    const { model, canvas, scroller } = this.view;
    const { start, stop } = this.page.store.state;
    const row = model.rows[place.row];
    const strip = stripPlace(row, this.level);
    const columns = model.columns();
    const perSecond = canvas.width / (stop - start);
    if (!columns) return null;
    const column = columnOf(columns, place.time);
    const span = model.dataOf(row)?.at(row, this.level, column) ?? { first: column, last: column };
    const left = (columns.start + span.first * columns.length - start) * perSecond;
    const width = (span.last - span.first + 1) * columns.length * perSecond;
    return { left, width: Math.max(4, width), top: model.screenTop(row, scroller.scrollTop) + strip.top, height: strip.height };
  }
}
