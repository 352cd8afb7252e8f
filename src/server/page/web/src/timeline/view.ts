// The timeline: a row per container, its states in columns of pixels, nested ones below their outer ones, links as arrows,
// variables as steps, events as marks.
import { annotationsOf } from "../core/annotations";
import { h, style } from "../core/dom";
import { count } from "../core/format";
import type { PageState, Step } from "../core/store";
import { defaultExpanded, type Row, rowsOf } from "../core/tree";
import { type Page, View } from "../core/view";
import { drawRuler } from "./axis";
import { aligned, type Columns, columnsOf, covers } from "./columns";
import { TimelineCursor } from "./cursor";
import { StateColumns, statesSql } from "./data";
import { drawFrame, type Frame } from "./draw";
import type { WindowControl } from "./gestures";
import { drawLabels } from "./labels";
import { EventColumns, eventStatement, linkStatement, pathStatement, readLinks, readPath, VariableColumns, variableStatement } from "./layers";
import { fading, matcher, rowFound, TimelineModel } from "./model";
import { listen } from "./pointer";

export const LABEL_WIDTH = 190;
const RULER_HEIGHT = 26;
/** Rows that are asked for at once, however they are scrolled. */
const ALL_ROWS = 250;

export class TimelineView extends View {
  readonly id = "timeline";
  readonly model = new TimelineModel();
  readonly canvas = h("canvas", { class: "plot", tabindex: 0, role: "img", "aria-label": "Timeline", "aria-describedby": "keys-hint" });
  readonly ruler = h("canvas", { class: "ruler", "aria-hidden": "true" });
  readonly scroller = h("div", { class: "tl-scroll", tabindex: -1 });
  readonly cursor: TimelineCursor;
  private readonly labels = h("div", { class: "tl-labels" });
  private readonly inner = h("div", { class: "tl-inner" });
  private readonly note = h("span", { class: "note" });
  private frameRequested = false;
  private askedColumns: Columns | null = null;
  private painted = "";
  hover: Frame["hover"] = null;

  constructor(page: Page, readonly control: WindowControl) {
    super(page, "Timeline");
    this.cursor = new TimelineCursor(this, page);
    const path = h("button", { type: "button", class: "toggle", "aria-pressed": "false", onclick: () => page.store.update({ path: !page.store.state.path }) }, "Critical path");
    const all = h("button", { type: "button", class: "quiet", onclick: () => this.expandAll() }, "Expand all");
    const none = h("button", { type: "button", class: "quiet", onclick: () => page.store.update({ expanded: [] }) }, "Collapse all");
    const links = h("button", { type: "button", class: "toggle", onclick: () => this.toggleLinks() }, "Links");
    page.store.subscribe((state) => path.setAttribute("aria-pressed", String(state.path)));
    page.store.subscribe((state) => links.setAttribute("aria-pressed", String(state.options.links !== "0")));
    this.tools.append(path, links, all, none, this.note);
    this.inner.append(this.labels, this.canvas);
    this.scroller.append(this.inner);
    const head = h("div", { class: "tl-head" }, h("div", { class: "tl-corner" }), this.ruler);
    this.content.append(h("div", { class: "timeline" }, head, this.scroller));
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    listen(this, page);
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  get scale(): number {
    return Math.min(2, window.devicePixelRatio || 1);
  }

  /** The pixels of the plot. */
  get pixels(): number {
    return Math.max(50, Math.round((this.scroller.clientWidth - LABEL_WIDTH) * this.scale));
  }

  resized(): void {
    if (!this.isVisible || this.scroller.clientWidth < 100) return;
    const [width, height] = [this.pixels, Math.round(this.scroller.clientHeight * this.scale)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      if (Math.abs(this.canvas.height - height) > 20) this.layout(this.page.store.state);
      this.canvas.width = this.ruler.width = width;
      this.canvas.height = height;
      this.ruler.height = Math.round(RULER_HEIGHT * this.scale);
      style(this.canvas, { width: `${width / this.scale}px`, height: `${height / this.scale}px` });
      style(this.ruler, { width: `${width / this.scale}px`, height: `${RULER_HEIGHT}px` });
    }
    void this.load();
    this.drawLabels();
    this.requestFrame();
  }

  protected override drawing(_: PageState) {
    return { view: "timeline", options: {} };
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") {
      this.requestFrame();
      return;
    }
    if (!changed || changed.has("expanded") || changed.has("trace")) this.layout(state);
    if (!changed || changed.has("selection") || changed.has("search")) this.painted = "";
    if (changed?.has("search") && state.search) this.showFirstMatch(state);
    this.resized();
    if (!changed ? state.path : (["path", "trace", "start", "stop"] as const).some((name) => changed.has(name))) void this.loadPath();
    if (changed?.has("options")) void this.loadLinks();
    this.drawLabels();
  }

  private open(state: PageState): Set<number> {
    return state.expanded ? new Set(state.expanded) : defaultExpanded(this.page.trace);
  }

  private layout(state: PageState): void {
    const { trace } = this.page;
    this.model.setRows(rowsOf(trace, this.open(state), trace.containers.length > 60, this.scroller.clientHeight));
    this.askedColumns = null;
    this.model.asked = [];
    style(this.inner, { height: `${Math.max(this.model.height(), 1)}px` });
    const empty = this.model.rows.every((row) => row.kind === "none");
    if (empty) this.say(`The trace ${trace.name} has no states, events or variables: it has ${count(trace.counts.links)} links and ${count(trace.counts.containers)} containers.`);
    else this.clear();
  }

  toggle(container: number): void {
    const open = this.open(this.page.store.state);
    if (!open.delete(container)) open.add(container);
    this.page.store.update({ expanded: [...open] });
    this.labels.querySelector<HTMLElement>(`[data-toggle="${container}"]`)?.focus();
  }

  private toggleLinks(): void {
    const { options } = this.page.store.state;
    this.page.store.update({ options: { ...options, links: options.links === "0" ? "1" : "0" } });
  }

  private expandAll(): void {
    const inner = this.page.trace.containers.filter((container) => !container.isLeaf);
    this.page.store.update({ expanded: inner.map((container) => container.id) });
  }

  select(container: number, add: boolean): void {
    const { selection } = this.page.store.state;
    const has = selection.containers.includes(container);
    const rest = selection.containers.filter((id) => id !== container);
    const containers = add ? (has ? rest : [...rest, container]) : has && rest.length === 0 ? [] : [container];
    this.page.store.update({ selection: { ...selection, containers } });
  }

  private scrolled(): void {
    this.drawLabels();
    this.requestFrame();
    if (this.model.rows.length > ALL_ROWS) {
      clearTimeout(this.scrollTimer);
      this.scrollTimer = window.setTimeout(() => void this.load(), 120);
    }
  }
  private scrollTimer = 0;

  /** The rows to ask for: all of them, or those in sight and as many above and below. */
  private wanted(): Row[] {
    const { rows } = this.model;
    if (rows.length <= ALL_ROWS) return rows;
    const [top, room] = [this.scroller.scrollTop, this.scroller.clientHeight];
    return rows.filter((row) => row.top + row.height >= top - room && row.top <= top + 2 * room);
  }

  private hasRows(): boolean {
    const { asked, rows } = this.model;
    if (asked.length === 0) return false;
    const [top, end] = [this.scroller.scrollTop, this.scroller.scrollTop + this.scroller.clientHeight];
    const last = asked[asked.length - 1];
    const reaches = last === rows[rows.length - 1] || last.top + last.height >= end;
    return reaches && (asked[0] === rows[0] || asked[0].top <= top);
  }

  /** Asks for what the window shows, unless it is there. */
  private async load(): Promise<void> {
    const { state } = this.page.store;
    const range: [number, number] = [state.start, state.stop];
    if (this.model.rows.length === 0 || this.canvas.width < 60) return;
    if (this.askedColumns && covers(this.askedColumns, range, this.pixels) && this.hasRows()) {
      this.repaint();
      return;
    }
    const columns = columnsOf(range, this.pixels, this.page.trace);
    const rows = this.wanted();
    this.askedColumns = columns;
    const jobs: Promise<void>[] = [];
    const sql = statesSql(rows, columns);
    const begin = (): void => {
      this.model.asked = rows;
      this.painted = "";
    };
    if (sql) jobs.push(this.loadLayer("states", sql, (answer) => (begin(), (this.model.states = new StateColumns(this.page.trace, answer, columns)))));
    else begin();
    const variables = variableStatement(rows, columns);
    if (variables) jobs.push(this.loadLayer("variables", variables, (answer) => (begin(), (this.model.variables = new VariableColumns(answer, columns)))));
    const events = eventStatement(rows, columns);
    if (events) jobs.push(this.loadLayer("events", events, (answer) => (begin(), (this.model.events = new EventColumns(answer, columns)))));
    if (this.page.trace.counts.links > 0 && state.options.links !== "0") jobs.push(this.loadLayer("links", linkStatement([columns.start, columns.stop]), (answer) => (this.model.links = readLinks(answer))));
    await Promise.all(jobs);
    this.tellLinks();
  }

  private async loadLayer(layer: string, sql: string, take: (rows: NonNullable<Awaited<ReturnType<View["ask"]>>>) => unknown): Promise<void> {
    const rows = await this.ask(layer, sql);
    if (!rows) return;
    take(rows);
    this.repaint();
    this.drawLabels();
  }

  private async loadPath(): Promise<void> {
    const { state } = this.page.store;
    if (!state.path) {
      this.requestFrame();
      return;
    }
    await this.loadLayer("critical path", pathStatement([state.start, state.stop]), (rows) => (this.model.path = readPath(rows)));
  }

  /** Links that were left out until now. */
  private async loadLinks(): Promise<void> {
    const { state } = this.page.store;
    const isWanted = this.page.trace.counts.links > 0 && state.options.links !== "0";
    if (isWanted) await this.loadLayer("links", linkStatement([this.askedColumns?.start ?? state.start, this.askedColumns?.stop ?? state.stop]), (answer) => (this.model.links = readLinks(answer)));
    this.tellLinks();
    this.requestFrame();
  }

  private tellLinks(): void {
    const { links } = this.model;
    this.note.textContent = this.page.trace.counts.links === 0 || this.page.store.state.options.links === "0" ? "" : links === null ? "zoom in to see links" : `${count(links.length)} links`;
  }

  /** Makes bitmaps anew when what they show, or their colors, changed. */
  private repaint(): void {
    const { state } = this.page.store;
    if (this.painted === "") {
      this.painted = "done";
      this.model.paintStates(this.page.trace, state, this.scale, this.page.theme("--background"));
      this.model.paintOthers(this.scale, this.page.theme("--variable"));
    }
    this.requestFrame();
  }

  /** The theme changed: colors of the background are part of bitmaps. */
  recolor(): void {
    this.painted = "";
    this.repaint();
  }

  /** A window that rests on the columns that are there, if it has their scale. */
  align(range: [number, number]): [number, number] {
    const columns = this.askedColumns;
    if (!columns) return range;
    const length = (columns.length * this.pixels) / columns.pixels;
    if (Math.abs(range[1] - range[0] - length) > columns.length * 1e-3) return range;
    const [start] = aligned(columns, range);
    return [start, start + length];
  }

  drawLabels(): void {
    const { state } = this.page.store;
    const [top, end] = [this.scroller.scrollTop - 100, this.scroller.scrollTop + this.scroller.clientHeight + 100];
    const rows = this.model.rows.filter((row) => row.top + row.height > top && row.top < end);
    const selected = new Set(state.selection.containers);
    const found = matcher(state.search);
    const isFaded = (row: Row) => state.search !== "" && !rowFound(this.page.trace, row, found);
    drawLabels(this.labels, rows, (id) => selected.has(id), isFaded, (row) => this.model.variables?.mostOf(row) ?? 0, this);
  }

  private showFirstMatch(state: PageState): void {
    const found = matcher(state.search);
    const row = this.model.rows.find((row) => rowFound(this.page.trace, row, found));
    if (row) this.scroller.scrollTop = Math.max(0, row.top - 40);
  }

  requestFrame(): void {
    if (this.frameRequested) return;
    this.frameRequested = true;
    requestAnimationFrame(() => {
      this.frameRequested = false;
      this.draw();
    });
  }

  private draw(): void {
    const { state } = this.page.store;
    const context = this.canvas.getContext("2d");
    const ruler = this.ruler.getContext("2d");
    if (!context || !ruler || !this.isVisible) return;
    const frame: Frame = {
      context, width: this.canvas.width, height: this.canvas.height, scale: this.scale, scroll: this.scroller.scrollTop,
      hover: this.hover, cursor: this.cursor.place(), annotations: annotationsOf(this.page.trace.name),
    };
    drawFrame(this.page, this.model, state, frame);
    drawRuler(ruler, this.page, [state.start, state.stop], this.ruler.width, this.ruler.height, this.scale);
  }

  /** Whether a value of a row is faded. */
  fades(): (value: string, row: Row) => boolean {
    return fading(this.page.trace, this.page.store.state);
  }
}
