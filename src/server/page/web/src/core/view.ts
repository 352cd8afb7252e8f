// What all views share: a frame with a head, one query at a time per layer (an older one is aborted), errors in place with
// the last picture kept, and the statements behind it.
import { nameOf, type Rows, optional, query, QueryError } from "./api";
import { showSql, showTables, type Statement } from "./dialog";
import { download, fill, h } from "./dom";
import { count, duration } from "./format";
import type { PageState, Step, Store } from "./store";
import type { TraceInfo } from "./trace";

/** What a view may use of the page around it. */
export interface Page {
  readonly store: Store;
  readonly trace: TraceInfo;
  /** Says something to those who do not see the picture. */
  say(text: string): void;
  /** Shows all fields of what a container does at an instant. */
  inspect(container: number, time: number): void;
  /** Shows some text near the pointer. */
  tooltip(lines: (string | [string, string])[] | null, x: number, y: number): void;
  /** Puts a statement into the editor. */
  edit(sql: string): void;
  /** Remembers what was asked, for the export of the session. */
  record(statement: Statement): void;
  /** A color of the theme. */
  theme(name: string): string;
  isDark(): boolean;
}

let progress: Promise<boolean> | null = null;

/** Whether the server says how far queries are. */
function tellsProgress(): Promise<boolean> {
  progress ??= optional<object>("server").then((server) => server !== null, () => false);
  return progress;
}

/** Whether the picture waits for an answer, and says so. */
export type Asking = "shown" | "ahead";

/** What is said of a view without an answer. */
const EMPTY = "empty";

export abstract class View {
  abstract readonly id: string;
  readonly element: HTMLElement;
  protected readonly tools = h("div", { class: "tools" });
  protected readonly content = h("div", { class: "view-content" });
  private readonly message = h("div", { class: "message", role: "status" });
  private readonly progress = h("span", { class: "progress", "aria-hidden": "true" });
  private readonly running = new Map<string, AbortController>();
  /** Layers whose answer the picture waits for. */
  private readonly waiting = new Set<string>();
  protected readonly statements = new Map<string, Statement>();
  isVisible = false;

  constructor(protected readonly page: Page, readonly title: string) {
    const sql = h("button", { type: "button", class: "quiet", onclick: () => this.showSql() }, "Show SQL");
    const table = h("button", { type: "button", class: "quiet", onclick: () => void this.showTable() }, "Table");
    const pictures = this.drawing(page.store.state)
      ? (["svg", "png"] as const).map((format) => h("button", { type: "button", class: "quiet", title: "The picture that ocellus draw makes", onclick: () => void this.savePicture(format) }, format.toUpperCase()))
      : [];
    const bar = h("div", { class: "view-bar" }, h("h2", {}, title), this.tools, this.progress, h("div", { class: "view-actions" }, ...pictures, table, sql));
    this.element = h("section", { class: "view", "aria-label": title, "data-view": title.toLowerCase() }, bar, this.message, this.content);
  }

  /** Draws what the state says; `changed` is null when the view has just become visible. */
  abstract refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void;

  /** What `ocellus draw` calls this view, with its options; null when it draws none. */
  protected drawing(_: PageState): { view: string; options: Record<string, string> } | null {
    return null;
  }

  /** Saves the picture that the server draws of the same window. */
  private async savePicture(format: "svg" | "png"): Promise<void> {
    const { state } = this.page.store;
    const drawing = this.drawing(state);
    if (!drawing) return;
    const parameters = new URLSearchParams({ format, trace: state.trace, start: String(state.start), stop: String(state.stop), ...drawing.options });
    try {
      const response = await fetch(`draw/${drawing.view}?${parameters}`, { credentials: "same-origin" });
      if (response.status === 404) throw new Error("this server draws no pictures; ocellus draw does");
      if (!response.ok) throw new Error(((await response.json()) as { message: string }).message);
      download(`${state.trace}-${drawing.view}.${format}`, await response.blob(), response.headers.get("content-type") ?? "");
    } catch (error) {
      this.fail("picture", error);
    }
  }

  /** Makes room for what was freed or taken. */
  resized(): void {}

  hide(): void {
    this.isVisible = false;
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
    this.waiting.clear();
    this.settle();
  }

  showSql(): void {
    showSql(this.title, this.page.trace.name, [...this.statements.values()], (sql) => this.page.edit(sql));
  }

  showTable(): void | Promise<void> {
    showTables(this.title, [...this.statements.values()]);
  }

  /** Asks one question of a layer; null when a newer one took its place or it failed. */
  protected async ask(layer: string, sql: string, trace = this.page.trace.name, how: Asking = "shown"): Promise<Rows | null> {
    this.running.get(layer)?.abort();
    const controller = new AbortController();
    this.running.set(layer, controller);
    if (how === "shown") {
      this.waiting.add(layer);
      this.element.classList.add("refining");
      this.element.setAttribute("aria-busy", "true");
    }
    const name = nameOf(sql, trace);
    const stop = how === "shown" ? this.followProgress(name) : () => {};
    try {
      const rows = await this.answer(sql, trace, controller.signal, name);
      if (this.running.get(layer) !== controller) return null;
      const statement = { title: layer, sql, rows };
      this.statements.set(layer, statement);
      this.page.record(statement);
      this.element.classList.remove("failed");
      for (const about of [layer, EMPTY]) this.unsay(about);
      return rows;
    } catch (error) {
      if (controller.signal.aborted) return null;
      this.fail(layer, error);
      return null;
    } finally {
      stop();
      if (this.running.get(layer) === controller) {
        this.running.delete(layer);
        this.waiting.delete(layer);
      }
      this.settle();
    }
  }

  /** Where rows come from: the server, unless a view shares its answers with others. */
  protected answer(sql: string, trace: string, signal: AbortSignal, name: string): Promise<Rows> {
    return query(sql, trace, signal, false, name);
  }

  /** Whether an answer is not there yet. */
  protected get isAsking(): boolean {
    return this.running.size > 0;
  }

  /** Takes back a question of a layer, which the picture no longer has. */
  protected withdraw(layer: string): void {
    this.statements.delete(layer);
    this.running.get(layer)?.abort();
    this.running.delete(layer);
    this.waiting.delete(layer);
    this.unsay(layer);
    this.settle();
  }

  /** The same for all layers: those of another trace. */
  protected withdrawAll(): void {
    for (const layer of [...this.running.keys(), ...this.statements.keys()]) this.withdraw(layer);
    this.clear();
    this.element.classList.remove("failed");
  }

  private settle(): void {
    if (this.waiting.size > 0) return;
    this.element.classList.remove("refining");
    this.element.removeAttribute("aria-busy");
    fill(this.progress);
  }

  /** Says how far a long query is, where the server tells. */
  private followProgress(name: string): () => void {
    const begin = performance.now();
    let isOver = false;
    let timer = setTimeout(async function step(this: void) {
      await tell();
      if (!isOver) timer = setTimeout(step, 1000);
    }, 1500);
    const tell = async () => {
      const state = (await tellsProgress()) ? await optional<{ state: string; rows_scanned: number }>(`queries/${name}`).catch(() => null) : null;
      const seconds = duration(Math.round((performance.now() - begin) / 1000));
      const scanned = state?.rows_scanned ? `, ${count(state.rows_scanned)} rows read` : "";
      if (!isOver) fill(this.progress, `${state?.state ?? "running"} ${seconds}${scanned}`);
    };
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** An error where it belongs; the last picture stays and is marked. */
  protected fail(layer: string, error: unknown): void {
    const known = error instanceof QueryError ? error : null;
    const place = known?.line ? ` (line ${known.line}, column ${known.column})` : "";
    const hint = known?.hint ? ` ${known.hint}` : "";
    this.message.dataset.layer = layer;
    this.message.className = "message error";
    this.element.classList.add("failed");
    fill(this.message, h("strong", {}, "Not up to date. "), `${(error as Error).message}${place}.${hint} `, h("button", { type: "button", onclick: () => this.retry() }, "Try again"));
  }

  /** Asks again for what failed. */
  protected retry(): void {
    this.clear();
    this.element.classList.remove("failed");
    this.refresh(this.page.store.state, null, "replace");
  }

  /** Says why there is nothing to see: until there is an answer, or until what is said is taken back. */
  protected say(text: string, about = EMPTY): void {
    this.message.dataset.layer = about;
    this.message.className = "message";
    fill(this.message, text);
  }

  /** Takes that back, and no error. */
  protected unsay(about: string): void {
    if (this.message.dataset.layer === about) this.clear();
  }

  protected clear(): void {
    this.message.dataset.layer = "";
    this.message.className = "message";
    fill(this.message);
  }
}
