// The timeline: a row per container, its states in columns of pixels, nested ones below their outer ones, links as arrows,
// variables as steps, events as marks.
import { begin, Delay, pictured, whenCalm, whenPictured } from "../core/activity";
import { annotationsOf } from "../core/annotations";
import type { Rows } from "../core/api";
import { hiding, pinning } from "../core/arrangement";
import { showTables } from "../core/dialog";
import { h, pictureScale, style } from "../core/dom";
import { count } from "../core/format";
import type { PageState, Step } from "../core/store";
import { isDense, openRows, type Row, rowKey, rowOfContainer, rowsOf } from "../core/tree";
import { type Asking, type Page, View } from "../core/view";
import { Arranger, GROUP } from "./arranger";
import { drawRuler } from "./axis";
import { BUNDLES, bundleStatement, describeBundles, hasManyLinks, readBundles } from "./bundles";
import { aligned, type Columns, columnsOf, comesWide, covers, wider } from "./columns";
import { TimelineCursor } from "./cursor";
import { pictureStatement, StateColumns, statesSql } from "./data";
import { drawFrame, type Frame } from "./draw";
import type { WindowControl } from "./gestures";
import { RowTree } from "./labels";
import { EventColumns, eventStatement, linkStatement, pathStatement, readLinks, readPath, VariableColumns, variableStatement } from "./layers";
import { fading, type Layer, matcher, rowFound, TimelineModel } from "./model";
import { Painter } from "./painter";
import { listen } from "./pointer";
import { allow, groupColors, groupStatement } from "./query";
import { mostRows, plotPixels, type Reach, RULER_HEIGHT, scrolledTo, wantedRows } from "./room";
import { RowTools } from "./rowtools";
import { stripPixels } from "./strips";

/** How much the room changes before rows are made anew. */
const LEAST_ROOM = 20;
/** Milliseconds that other layers wait for the first states before they are asked for beside them. */
const PATIENCE = 1000;
/** The layer of rows with their exact amounts. */
const EXACT = "states in exact times";
/** What is said of the rows. */
const ROWS = "rows";
/** That of states that come before the exact ones. */
const WIDE = "states in wide columns";
/** What of the state the rows depend on. */
const OF_ROWS = ["trace", "expanded", "hidden", "pinned", "sort", "rows"] as const;

export class TimelineView extends View {
  readonly id = "timeline";
  readonly model = new TimelineModel();
  readonly canvas = h("canvas", { class: "plot", tabindex: 0, role: "img", "aria-label": "Timeline", "aria-describedby": "keys-hint" });
  readonly ruler = h("canvas", { class: "ruler", "aria-hidden": "true" });
  readonly scroller = h("div", { class: "tl-scroll", tabindex: -1 });
  readonly cursor: TimelineCursor;
  private readonly labels: RowTree;
  private readonly pins: RowTree;
  private readonly rowTools: RowTools;
  private readonly inner = h("div", { class: "tl-inner" });
  private readonly note = h("span", { class: "note" });
  private readonly scrolledEnough = new Delay(120, () => void this.load());
  private frameRequested = false;
  private labelsAreStale = false;
  private readonly painter: Painter;
  private askedColumns: Columns | null = null;
  private askedRows = new Set<string>();
  /** The trace whose answers are here. */
  private answered = "";
  /** How far rows are asked for. */
  private reach: Reach = "sight";
  /** How high the room was that the rows were made for. */
  private room = 0;
  /** The room that the picture was made for last. */
  private fitted: [number, number] = [0, 0];
  private readonly arranger: Arranger;
  hover: Frame["hover"] = null;

  constructor(page: Page, readonly control: WindowControl) {
    super(page, "Timeline");
    this.painter = new Painter(page, this.model, this);
    this.cursor = new TimelineCursor(this, page);
    const path = h("button", { type: "button", class: "toggle", "aria-pressed": "false", onclick: () => page.store.update({ path: !page.store.state.path }) }, "Critical path");
    const all = h("button", { type: "button", class: "quiet", onclick: () => this.expandAll() }, "Expand");
    const none = h("button", { type: "button", class: "quiet", onclick: () => page.store.update({ expanded: [] }) }, "Collapse");
    const links = h("button", { type: "button", class: "toggle", onclick: () => this.toggleLinks() }, "Links");
    page.store.subscribe((state) => path.setAttribute("aria-pressed", String(state.path)));
    page.store.subscribe((state) => links.setAttribute("aria-pressed", String(state.options.links !== "0")));
    const asking = { ask: (layer: string, sql: string) => this.ask(layer, sql), withdraw: (layer: string) => this.withdraw(layer), fail: (layer: string, error: unknown) => this.fail(layer, error), changed: () => this.arranged() };
    this.arranger = new Arranger(page, asking);
    this.rowTools = new RowTools(page, () => this.runGroup());
    this.tools.append(path, links, all, none, ...this.rowTools.elements);
    this.labels = new RowTree("tl-labels", "Rows", () => this.model.rows.filter((row) => !row.pinned), this);
    this.pins = new RowTree("tl-pins", "Pinned rows", () => this.model.rows.filter((row) => row.pinned), this);
    this.inner.append(this.pins.element, this.labels.element, this.canvas);
    this.scroller.append(this.inner);
    // Before the first rows are made for the room that is left.
    style(this.ruler, { height: `${RULER_HEIGHT}px` });
    const head = h("div", { class: "tl-head" }, h("div", { class: "tl-corner" }, this.note), this.ruler);
    this.content.append(h("div", { class: "timeline" }, head, this.scroller));
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    listen(this, page);
    new ResizeObserver(() => this.isFitted() || this.resized()).observe(this.scroller);
  }

  get scale(): number {
    return pictureScale();
  }

  /** The pixels of the plot. */
  get pixels(): number {
    return plotPixels(this.scroller.clientWidth, this.scale);
  }

  /** Whether the picture was made for the room that there is: observers are told of the first one too. */
  private isFitted(): boolean {
    return this.fitted[0] === this.scroller.clientWidth && this.fitted[1] === this.scroller.clientHeight;
  }

  resized(): void {
    if (!this.isVisible || this.scroller.clientWidth < 100) return;
    this.fitted = [this.scroller.clientWidth, this.scroller.clientHeight];
    if (Math.abs(this.scroller.clientHeight - this.room) > LEAST_ROOM) this.layout(this.page.store.state);
    const [width, height] = [this.pixels, Math.round(this.scroller.clientHeight * this.scale)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = this.ruler.width = width;
      this.canvas.height = height;
      this.ruler.height = Math.round(RULER_HEIGHT * this.scale);
      style(this.canvas, { width: `${width / this.scale}px`, height: `${height / this.scale}px` });
      style(this.ruler, { width: `${width / this.scale}px`, height: `${RULER_HEIGHT}px` });
    }
    void this.load();
    this.drawLabels();
  }

  protected override drawing(_: PageState) {
    return { view: "timeline", options: {} };
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") {
      this.requestFrame();
      return;
    }
    if (this.answered !== this.page.trace.name) this.forget();
    if (!changed || OF_ROWS.some((name) => changed.has(name))) {
      this.arranger.update(state);
      if (!this.arranger.group) this.model.query = null;
      this.layout(state);
    }
    this.rowTools.update(state, this.arranger.group, this.arranger.isWaiting(state));
    if (!changed || changed.has("selection") || changed.has("search")) this.model.repaintAll();
    if (changed?.has("search") && state.search) this.showFirstMatch(state);
    if (!changed || changed.has("selection")) this.revealSelected(state);
    this.resized();
    if (!changed ? state.path : (["path", "trace", "start", "stop"] as const).some((name) => changed.has(name))) void this.loadPath();
    if (changed?.has("options")) void this.loadLinks();
    this.drawLabels();
  }

  private open(state: PageState): Set<number> {
    return openRows(this.page.trace, state.expanded);
  }

  /** Takes back what was answered for another trace. */
  private forget(): void {
    this.answered = this.page.trace.name;
    this.withdrawAll();
    this.model.forget();
    this.askedColumns = null;
    this.reach = "sight";
  }

  /** The order or the group of rows became known. */
  private arranged(): void {
    const { state } = this.page.store;
    const { group } = this.arranger;
    this.layout(state);
    this.rowTools.update(state, group, false);
    this.resized();
  }

  /** Runs the SQL that came with a link: the user said so. */
  private runGroup(): void {
    allow(this.page.store.state.rows);
    this.refresh(this.page.store.state, new Set(["rows"]), "replace");
  }

  private layout(state: PageState): void {
    const { trace } = this.page;
    this.room = this.scroller.clientHeight;
    this.model.setRows(rowsOf(trace, this.open(state), isDense(trace), this.room, this.arranger.arrangement(state)), this.room);
    this.model.ask(this.wanted(), "all");
    style(this.inner, { height: `${Math.max(this.model.height(), 1)}px` });
    const empty = this.model.rows.every((row) => row.kind === "none");
    if (this.arranger.group?.containers.length === 0) this.say("The SQL gives no rows for containers of this trace.", ROWS);
    else if (empty) this.say(`The trace ${trace.name} has no states, events or variables: it has ${count(trace.counts.links)} links and ${count(trace.counts.containers)} containers.`, ROWS);
    else this.unsay(ROWS);
  }

  toggle(container: number): void {
    const open = this.open(this.page.store.state);
    if (!open.delete(container)) open.add(container);
    this.page.store.update({ expanded: [...open] });
  }

  pinRow(container: number): void {
    this.page.store.update(pinning(this.page.store.state, [container]));
  }

  hideRow(container: number): void {
    this.page.store.update(hiding(this.page.store.state, [container]));
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
    this.painter.paintRest();
    this.drawLabels();
    if (this.model.rows.length > this.mostRows()) {
      this.scrolledEnough.start();
    }
  }

  /** The rows to ask for. */
  private wanted(): Row[] {
    return wantedRows(this.model.rows, this.scroller, this.reach, this.page.store.state.options.sight);
  }

  private mostRows(): number {
    return mostRows(this.reach, this.page.store.state.options.sight);
  }

  /** Whether what is in sight was asked for; where all rows are asked for, these and no others, in any order. */
  private hasRows(): boolean {
    const { rows } = this.model;
    const isAsked = (row: Row) => this.askedRows.has(keyOf(row, this.scale));
    if (rows.length <= this.mostRows()) return rows.length === this.askedRows.size && rows.every(isAsked);
    const [top, end] = [this.scroller.scrollTop, this.scroller.scrollTop + this.scroller.clientHeight];
    return rows.every((row) => isAsked(row) || (!row.pinned && (row.top + row.height < top || row.top > end)));
  }

  /** Asks again for the whole window, as if nothing were asked. */
  protected override retry(): void {
    this.askedColumns = null;
    super.retry();
  }

  /** Where wide columns cannot be had, the exact ones follow. */
  protected override fail(layer: string, error: unknown): void {
    if (layer !== WIDE) super.fail(layer, error);
  }

  /** Leaves the view; what it still waits for is asked anew when it is shown again. */
  override hide(): void {
    if (this.isAsking) this.askedRows.clear();
    super.hide();
  }

  /** Asks for the rows around those in sight, when these are drawn. */
  private async loadAround(): Promise<void> {
    if (this.reach === "around") return;
    this.reach = "around";
    const isMissing = this.wanted().some((row) => !this.askedRows.has(keyOf(row, this.scale)));
    if (this.isVisible && this.askedColumns && isMissing) await this.loadColumns(this.askedColumns, "ahead");
  }

  /** Asks for what the window shows, unless it is there. */
  private async load(): Promise<void> {
    const { state } = this.page.store;
    const range: [number, number] = [state.start, state.stop];
    if (!this.isVisible || this.model.rows.length === 0 || this.canvas.width < 60) return;
    if (this.askedColumns && covers(this.askedColumns, range, this.pixels) && this.hasRows()) {
      this.painter.paint();
      return;
    }
    // Until the answer is there, what is known is shown on the rows as they are now.
    this.painter.paint();
    if (this.reach === "sight" && this.model.rows.length > this.mostRows()) whenCalm(() => void this.loadAround());
    await this.loadColumns(columnsOf(range, this.pixels, this.page.trace), "shown");
  }

  /** Asks for columns of all layers; "ahead" where those in sight are there, of the layers that have a part for each row. */
  private async loadColumns(columns: Columns, how: Asking): Promise<void> {
    const rows = this.wanted();
    this.askedColumns = columns;
    this.askedRows = new Set(rows.map((row) => keyOf(row, this.scale)));
    const jobs: Promise<void>[] = [];
    const sql = pictureStatement(rows, columns, this.scale);
    const answered = (layer: Layer): void => this.model.ask(this.wanted(), layer);
    const { group } = this.arranger;
    if (how === "shown" && group && group.containers.length > 0) {
      const height = Math.max(1, ...rows.filter((row) => row.kind === "query").map((row) => stripPixels(row, 0, this.scale)));
      jobs.push(this.loadLayer(GROUP, groupStatement(group, columns, height), (answer) => {
        answered("query");
        this.model.queryColors = groupColors(this.page.trace, answer.texts("value"));
        this.model.query = new StateColumns(this.page.trace, answer, columns, "query");
      }));
    }
    if (!sql) answered("states");
    // While nothing is seen yet, what else is asked would take processors from the first picture.
    if (sql && how === "shown" && this.model.states === null) {
      const first = this.loadFirst(rows, columns, sql);
      jobs.push(first.all);
      const seen = first.seen.then(() => new Promise<void>(whenPictured));
      await Promise.race([seen, new Promise((go) => setTimeout(go, PATIENCE))]);
      if (columns !== this.askedColumns || !this.isVisible) return;
    } else if (sql) jobs.push(this.loadStates("states", rows, columns, sql, how));
    const variables = variableStatement(rows, columns);
    if (variables) jobs.push(this.loadLayer("variables", variables, (answer) => (answered("variables"), this.model.knows("variable", rows), (this.model.variables = new VariableColumns(answer, columns))), how));
    const events = eventStatement(rows, columns);
    if (events) jobs.push(this.loadLayer("events", events, (answer) => (answered("events"), this.model.knows("event", rows), (this.model.events = new EventColumns(answer, columns))), how));
    if (how === "shown" && this.page.trace.counts.links > 0 && this.page.store.state.options.links !== "0") jobs.push(this.askLinks(columns));
    await Promise.all(jobs);
  }

  private loadStates(layer: string, rows: Row[], columns: Columns, sql: string, how: Asking = "shown"): Promise<void> {
    return this.loadLayer(layer, sql, (answer) => {
      this.model.ask(this.wanted(), "states");
      this.model.knows("state", rows);
      this.model.states = new StateColumns(this.page.trace, answer, columns);
    }, how);
  }

  /** The first states: of a large trace in wide columns, which are seen before all is there. */
  private loadFirst(rows: Row[], columns: Columns, sql: string): { seen: Promise<void>; all: Promise<void> } {
    const few = wider(columns);
    const wide = comesWide(columns, this.page.trace.counts.states, this.page.store.state.options.wide) && pictureStatement(rows, few, this.scale);
    const exact = () => this.loadStates("states", rows, columns, sql);
    if (!wide) {
      this.withdraw(WIDE);
      const seen = exact();
      return { seen, all: seen };
    }
    const seen = this.loadStates(WIDE, rows, few, wide);
    return { seen, all: seen.then(() => (columns === this.askedColumns && this.isVisible ? exact() : undefined)) };
  }

  private async loadLayer(layer: string, sql: string, take: (rows: Rows) => unknown, how: Asking = "shown"): Promise<void> {
    const rows = await this.ask(layer, sql, this.page.trace.name, how);
    if (!rows) return;
    take(rows);
    this.painter.paint();
    // The largest mean of a variable stands beside its name.
    if (layer === "variables") this.drawLabels();
  }

  async askExact(row: Row): Promise<boolean> {
    const picture = this.model.dataOf(row);
    if (!picture || this.model.exact.of(row, picture)) return false;
    const sql = statesSql([row], picture.columns, this.scale);
    const rows = sql && (await this.ask(EXACT, sql, this.page.trace.name, "ahead"));
    if (rows) this.model.exact.keep(row, new StateColumns(this.page.trace, rows, picture.columns));
    return rows !== null;
  }

  /** The table has the exact amounts of all rows. */
  override async showTable(): Promise<void> {
    const { states } = this.model;
    const sql = states && statesSql(this.model.asked, states.columns, this.scale);
    const rows = sql && (await this.ask(EXACT, sql, this.page.trace.name, "ahead"));
    const shown = [...this.statements.values()].filter(({ title }) => title !== (rows ? "states" : EXACT));
    showTables(this.title, shown);
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
    const isWanted = this.page.trace.counts.links > 0 && this.page.store.state.options.links !== "0";
    if (isWanted && this.askedColumns) await this.askLinks(this.askedColumns);
    this.tellLinks();
    this.requestFrame();
  }

  /** Links one by one, or in bundles where they are too many. */
  private async askLinks(columns: Columns): Promise<void> {
    let isFew: boolean | null = null;
    if (hasManyLinks(this.page.trace, columns)) {
      isFew = false;
      this.withdraw("links");
    } else {
      await this.loadLayer("links", linkStatement([columns.start, columns.stop]), (answer) => {
        const found = readLinks(answer);
        isFew = found !== null;
        if (found) [this.model.links, this.model.bundles] = [found, null];
      });
    }
    // Nothing is known where a newer question took the place of this one, or where it failed.
    if (isFew === null || columns !== this.askedColumns) return;
    if (isFew) this.withdraw(BUNDLES);
    else {
      await this.loadLayer(BUNDLES, bundleStatement(this.model.firstRows.keys(), columns), (answer) => {
        [this.model.links, this.model.bundles] = [[], readBundles(answer)];
      });
    }
    this.tellLinks();
  }

  private tellLinks(): void {
    const { links, bundles } = this.model;
    const isShown = this.page.trace.counts.links > 0 && this.page.store.state.options.links !== "0";
    const few = isShown ? `${count(links.length)} links` : "";
    const { short, full } = isShown && bundles ? describeBundles(bundles) : { short: few, full: few };
    this.note.textContent = short;
    this.note.title = full;
  }

  /** The theme changed: colors of the background are part of bitmaps. */
  recolor(): void {
    this.model.repaintAll();
    this.painter.paint();
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

  /** Draws the names of rows with the next frame. */
  private drawLabels(): void {
    this.labelsAreStale = true;
    this.requestFrame();
  }

  private fillLabels(): void {
    this.labelsAreStale = false;
    const { state } = this.page.store;
    const [top, end] = [this.scroller.scrollTop - 100, this.scroller.scrollTop + this.scroller.clientHeight + 100];
    const rows = this.model.rows.filter((row) => !row.pinned && row.top + row.height > top && row.top < end);
    const selected = new Set(state.selection.containers);
    const found = matcher(state.search);
    const isFaded = (row: Row) => state.search !== "" && !rowFound(this.page.trace, row, found);
    const looks = { isSelected: (id: number) => selected.has(id), isFaded, most: (row: Row) => this.model.variables?.mostOf(row) ?? 0 };
    this.labels.draw(rows, looks);
    this.pins.draw(this.model.rows.filter((row) => row.pinned), looks);
    style(this.pins.element, { "--pinned": `${this.model.pinnedHeight}px` });
  }

  /** Scrolls until a row is in sight, below those that are pinned. */
  reveal(row: Row): void {
    const { scroller, model } = this;
    if (row.pinned) return;
    if (row.top - model.pinnedHeight < scroller.scrollTop) scroller.scrollTop = row.top - model.pinnedHeight;
    if (row.top + row.height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = row.top + row.height - scroller.clientHeight;
  }

  /** Scrolls until a selected container is in sight, with its neighbors, on the row that shows it. */
  private revealSelected(state: PageState): void {
    const { scroller, model } = this;
    const [first] = state.selection.containers;
    const row = first === undefined ? null : rowOfContainer(this.page.trace, model.firstRows, first);
    if (row) scroller.scrollTop = scrolledTo(row, scroller, model.pinnedHeight);
  }

  private showFirstMatch(state: PageState): void {
    const found = matcher(state.search);
    const row = this.model.rows.find((row) => rowFound(this.page.trace, row, found));
    if (row) this.scroller.scrollTop = Math.max(0, row.top - 40);
  }

  requestFrame(): void {
    if (this.frameRequested) return;
    this.frameRequested = true;
    const end = begin();
    requestAnimationFrame(() => {
      this.frameRequested = false;
      this.draw();
      end();
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
    if (this.labelsAreStale) this.fillLabels();
    drawFrame(this.page, this.model, state, frame);
    if (this.model.states) pictured();
    drawRuler(ruler, this.page, [state.start, state.stop], this.ruler.width, this.ruler.height, this.scale);
  }

  /** Whether a value of a row is faded. */
  fades(): (value: string, row: Row) => boolean {
    return fading(this.page.trace, this.page.store.state);
  }
}

/** What was asked of a row, as a text. */
function keyOf(row: Row, scale: number): string {
  return `${rowKey(row.container.id, row.kind, row.type)} ${row.lifted} ${row.levels} ${row.height * scale}`;
}
