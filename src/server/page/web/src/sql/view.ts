// SQL in the page: an editor, a table that scrolls over the rows, a chart. What came with a link runs only on a click.
import type { Editor } from "./editor";
import { query, QueryError, type Rows } from "../core/api";
import { save } from "../core/dialog";
import { fill, h } from "../core/dom";
import { count, duration } from "../core/format";
import { Grid } from "../core/grid";
import type { PageState, Step } from "../core/store";
import { type Page, View } from "../core/view";
import { allow, fitsTimeline } from "../timeline/query";
import { Chart } from "./chart";
import { fitsGraph, Graph } from "./graph";

/** Rows that the table takes. */
const MOST_ROWS = 100_000;

type Shown = "table" | "chart" | "graph";

export class SqlView extends View {
  readonly id = "sql";
  private readonly room = h("div", { class: "editor-room" });
  private readonly grid = new Grid("Result");
  private readonly chart: Chart;
  private readonly graph: Graph;
  private readonly note = h("span", { class: "note", role: "status" });
  private readonly results = h("div", { class: "results" });
  private readonly tableTab = h("button", { type: "button", "aria-pressed": "true", onclick: () => this.choose("table") }, "Rows");
  private readonly chartTab = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.choose("chart") }, "Chart");
  private readonly graphTab = h("button", { type: "button", "aria-pressed": "false", hidden: true, onclick: () => this.choose("graph") }, "Graph");
  private readonly toTimeline = h("button", { type: "button", hidden: true, title: "The rows as rows of the timeline", onclick: () => this.showInTimeline() }, "Show in the timeline");
  private shown: Shown = "table";
  private editor: Editor | null = null;
  private loading = false;
  private controller: AbortController | null = null;
  private ran = "";
  private rows: Rows | null = null;

  constructor(page: Page) {
    super(page, "SQL");
    this.chart = new Chart(page);
    this.graph = new Graph(page, () => this.grid.element);
    const run = h("button", { type: "button", class: "primary", onclick: () => void this.run() }, "Run");
    const stop = h("button", { type: "button", onclick: () => this.controller?.abort() }, "Stop");
    const csv = h("button", { type: "button", class: "quiet", onclick: () => void this.save("csv") }, "CSV");
    const arrow = h("button", { type: "button", class: "quiet", onclick: () => void this.save("arrow") }, "Arrow");
    this.tools.append(run, stop, this.tableTab, this.chartTab, this.graphTab, this.toTimeline, csv, arrow, this.note);
    this.grid.onsort = (column) => void this.sort(column);
    this.results.append(this.grid.element);
    this.content.append(h("div", { class: "sql" }, this.room, this.results));
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    void this.open(state.sql);
    if (changed?.has("sql") && this.editor && this.editor.text() !== state.sql) this.editor.setText(state.sql);
  }

  private async open(text: string): Promise<void> {
    if (this.editor || this.loading) return;
    this.loading = true;
    const { makeEditor } = await import("./editor");
    const first = `-- ${this.page.trace.name}: which states take most time?\nSELECT value, sum(duration) AS seconds, count(*) AS states\nFROM states\nGROUP BY value\nORDER BY seconds DESC`;
    const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? "";
    this.editor = makeEditor(this.room, { text: text || first, nonce, trace: () => this.page.trace.name, run: () => void this.run(), changed: () => this.editor?.clear() });
  }

  private choose(name: Shown): void {
    this.shown = name;
    for (const [tab, of] of [[this.tableTab, "table"], [this.chartTab, "chart"], [this.graphTab, "graph"]] as const) tab.setAttribute("aria-pressed", String(of === name));
    fill(this.results, name === "table" ? this.grid.element : name === "chart" ? this.chart.element : this.graph.element);
    if (name === "graph") this.graph.open();
    this.draw();
  }

  /** The picture of the rows, if one is chosen. */
  private draw(): void {
    if (!this.rows) return;
    if (this.shown === "chart") this.chart.show(this.rows);
    if (this.shown === "graph") void this.graph.show(this.ran, this.rows, (sql) => this.ask("graph", sql));
  }

  /** What the columns of a result allow. */
  private offer(rows: Rows): void {
    this.graphTab.hidden = !fitsGraph(rows.names);
    this.toTimeline.hidden = !fitsTimeline(rows.names);
    if (this.shown === "graph" && this.graphTab.hidden) this.choose("table");
  }

  private showInTimeline(): void {
    allow(this.ran);
    this.page.store.update({ rows: this.ran, view: "timeline" });
  }

  /** Who leaves does not wait for the rows any longer. */
  override hide(): void {
    this.controller?.abort();
    super.hide();
  }

  /** Runs what is in the editor. */
  private async run(): Promise<void> {
    const text = this.editor?.text().trim().replace(/;\s*$/, "") ?? "";
    if (text === "") return;
    this.grid.sorted = null;
    this.page.store.update({ sql: this.editor!.text() }, "replace");
    this.ran = text;
    await this.show(text);
  }

  private async show(text: string): Promise<void> {
    this.controller?.abort();
    const controller = (this.controller = new AbortController());
    const begin = performance.now();
    this.element.classList.add("refining");
    this.note.textContent = "running";
    try {
      const rows = await query(limited(text), this.page.trace.name, controller.signal, true);
      if (this.controller !== controller) return;
      this.rows = rows;
      this.editor?.clear();
      this.clear();
      this.element.classList.remove("failed");
      this.statements.set("result", { title: "result", sql: text, rows });
      this.page.record({ title: "result", sql: text, rows });
      this.grid.show(rows);
      this.statements.delete("graph");
      this.offer(rows);
      this.draw();
      const seconds = duration((performance.now() - begin) / 1000);
      this.note.textContent = `${rows.length > MOST_ROWS ? `the first ${count(MOST_ROWS)}` : count(rows.length)} rows in ${seconds}`;
      if (rows.length === 0) this.say("The statement is right and gives no rows.");
    } catch (error) {
      if (controller.signal.aborted) this.note.textContent = "stopped";
      else {
        this.note.textContent = "";
        this.fail("result", error);
        this.element.classList.remove("failed");
        if (error instanceof QueryError) this.editor?.mark(error.line, error.column, error.message);
      }
    } finally {
      if (this.controller === controller) this.element.classList.remove("refining");
    }
  }

  /** Sorts by asking again: all rows count, not only those that are here. */
  private async sort(column: string): Promise<void> {
    const { sorted } = this.grid;
    const descending = sorted?.column === column ? !sorted.descending : false;
    this.grid.sorted = { column, descending };
    const by = `"${column.replaceAll('"', '""')}"${descending ? " DESC" : ""}`;
    await this.show(`SELECT *\nFROM (\n${this.ran}\n) AS result\nORDER BY ${by}`);
  }

  private async save(format: "csv" | "arrow"): Promise<void> {
    const text = this.ran || this.editor?.text() || "";
    if (text === "") return;
    await save(text, this.page.trace.name, format).catch((error) => this.fail("result", error));
  }
}

/** A query with a limit, so that no result is too large for a table. */
function limited(text: string): string {
  const isQuery = /^(\s*(--[^\n]*\n|\/\*[\s\S]*?\*\/))*\s*\(?\s*(select|with|from|values)\b/i.test(text);
  return isQuery && !/\blimit\s+\d+(\s+offset\s+\d+)?\s*$/i.test(text) ? `${text}\nLIMIT ${MOST_ROWS + 1}` : text;
}
