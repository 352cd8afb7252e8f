// The head of the page: trace, views, range, history, search, theme, keys, export.
import type { WindowControl } from "../timeline/gestures";
import { matcher } from "../timeline/model";
import { VIEW_NAMES } from "../views/registry";
import { Delay } from "./activity";
import { annotationsOf, saveAnnotations } from "./annotations";
import { openDialog } from "./dialog";
import { download, fill, h } from "./dom";
import { duration, instant, parseSeconds } from "./format";
import { showKeys } from "./keysdialog";
import type { TraceEntry } from "./api";
import type { Session } from "./session";
import type { PageState } from "./store";
import type { Page } from "./view";

/** What the head may use of the page below it. */
export interface HeadedPage extends Page {
  readonly entries: TraceEntry[];
  readonly session: Session;
  openTrace(name: string): Promise<void>;
  toggleTheme(): void;
}

export class Header {
  readonly element: HTMLElement;
  private readonly traces = h("select", { "aria-label": "Trace" });
  private readonly tabs = h("nav", { class: "tabs", "aria-label": "Views" });
  private readonly side = h("select", { "aria-label": "View beside" });
  private readonly range = h("input", { class: "range", "aria-label": "Window: start and end, in seconds", spellcheck: "false" });
  private readonly length = h("output", { class: "note length" });
  private readonly search = h("input", { type: "search", placeholder: "Search  /", "aria-label": "Search containers and values" });
  private readonly found = h("output", { class: "note" });
  private readonly chips = h("div", { class: "chips" });
  private readonly error = h("div", { class: "message error", role: "alert", hidden: true });
  private readonly typed = new Delay(150, () => {
    this.app.store.update({ search: this.search.value.trim() }, "replace");
    this.tellFound();
  });
  private match = -1;

  constructor(private readonly app: HeadedPage, private readonly control: WindowControl) {
    for (const entry of app.entries) this.traces.append(h("option", { value: entry.name }, entry.name));
    this.traces.addEventListener("change", () => void app.openTrace(this.traces.value));
    this.side.append(h("option", { value: "" }, "alone"));
    for (const [name, title] of VIEW_NAMES) this.side.append(h("option", { value: name }, `with ${title}`));
    this.side.addEventListener("change", () => app.store.update({ side: this.side.value }));
    for (const [name, title] of VIEW_NAMES) {
      this.tabs.append(h("button", { type: "button", "data-tab": name, onclick: () => app.store.update({ view: name }) }, title));
    }
    this.range.addEventListener("keydown", (event) => this.rangeKey(event));
    this.range.addEventListener("blur", () => this.showRange(app.store.state));
    this.search.addEventListener("input", () => this.searched());
    this.search.addEventListener("keydown", (event) => this.searchKey(event));
    const button = (text: string, label: string, action: () => void) => h("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    const top = h("div", { class: "bar top" },
      h("h1", {}, "Ocellus"), this.traces, this.tabs, this.side, h("span", { class: "grow" }),
      button("◐", "Light or dark", () => app.toggleTheme()), button("?", "Keys", () => showKeys(app)),
      h("button", { type: "button", onclick: () => download(`${app.trace.name}-session.sql`, app.session.file(), "application/sql") }, "Session .sql"));
    const second = h("div", { class: "bar second" },
      button("←", "Back: undo the last step (Z)", () => history.back()), button("→", "Forward", () => history.forward()),
      button("−", "Zoom out (S)", () => control.zoom(1.6, 0.5)), button("+", "Zoom in (W)", () => control.zoom(1 / 1.6, 0.5)),
      h("button", { type: "button", title: "Fit the whole trace (F)", onclick: () => control.fit() }, "Fit"),
      this.range, this.length, this.chips, h("span", { class: "grow" }),
      h("button", { type: "button", title: "Write a note at the middle of the window (N)", onclick: () => this.annotate((app.store.state.start + app.store.state.stop) / 2) }, "Notes"),
      this.search, this.found);
    this.element = h("header", { class: "head" }, top, second, this.error);
  }

  update(state: PageState, selects: boolean): void {
    this.traces.value = state.trace;
    this.side.value = state.side;
    for (const tab of this.tabs.querySelectorAll<HTMLElement>("button")) {
      if (tab.dataset.tab === state.view) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    if (document.activeElement !== this.range) this.showRange(state);
    if (document.activeElement !== this.search) this.search.value = state.search;
    this.length.textContent = duration(state.stop - state.start);
    if (selects) this.showChips(state);
    document.title = `${state.trace} · Ocellus`;
  }

  fail(text: string): void {
    this.error.hidden = false;
    this.error.textContent = text;
    setTimeout(() => (this.error.hidden = true), 15_000);
  }

  private showRange(state: PageState): void {
    const step = (state.stop - state.start) / 1000;
    this.range.value = `${instant(state.start, step)} – ${instant(state.stop, step)} s`;
    this.range.removeAttribute("aria-invalid");
  }

  /** Takes a typed range: two times, or a start and "+length". */
  private rangeKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.range.blur();
    if (event.key !== "Enter") return;
    const parts = this.range.value.replace(/\s+s\s*$/, "").split(/\s*(?:–|\.\.|,|;|\s-\s)\s*/).filter((part) => part !== "");
    const start = parseSeconds(parts[0] ?? "");
    const isLength = /^\+/.test(parts[1] ?? "");
    const end = parseSeconds((parts[1] ?? "").replace(/^\+/, ""));
    if (start === null || end === null || (isLength ? end <= 0 : end <= start)) {
      this.range.setAttribute("aria-invalid", "true");
      this.app.say("Write a range as two times: 0.1 – 0.25, 100ms – 250ms, or 0.1 – +50ms");
      return;
    }
    this.control.go(start, isLength ? start + end : end);
    this.range.blur();
  }

  focusSearch(): void {
    this.search.focus();
  }

  private searched(): void {
    this.match = -1;
    this.typed.start();
  }

  private matches(): number[] {
    const found = matcher(this.app.store.state.search);
    return this.app.trace.containers.filter((container) => found(container.name) || found(container.path)).map((container) => container.id);
  }

  private tellFound(): void {
    const { search } = this.app.store.state;
    const found = matcher(search);
    const values = this.app.trace.values.filter((value) => found(value.name)).length;
    const containers = this.matches().length;
    this.found.textContent = search === "" ? "" : `${containers} containers, ${values} values`;
  }

  private searchKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.search.value = "";
      this.searched();
      this.search.blur();
    }
    if (event.key !== "Enter") return;
    const matches = this.matches();
    if (matches.length === 0) return;
    this.match = (this.match + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
    const id = matches[this.match];
    const { selection } = this.app.store.state;
    this.app.store.update({ selection: { ...selection, containers: [id] } });
    this.found.textContent = `${this.match + 1} of ${matches.length}: ${this.app.trace.byId.get(id)?.name ?? ""}`;
  }

  private showChips(state: PageState): void {
    const { selection } = state;
    const chip = (text: string, change: Partial<typeof selection>, name = "chip named") =>
      h("button", { type: "button", class: name, title: "Take it out of the selection", onclick: () => this.app.store.update({ selection: { ...selection, ...change } }) }, `${text} ✕`);
    const parts: HTMLElement[] = [];
    if (selection.start !== null && selection.stop !== null) {
      parts.push(chip(`${duration(selection.stop - selection.start)} selected`, { start: null, stop: null }, "chip"));
      parts.push(h("button", { type: "button", class: "chip", onclick: () => this.control.go(selection.start!, selection.stop!) }, "Zoom to it"));
    }
    const first = this.app.trace.byId.get(selection.containers[0] ?? -1);
    if (selection.containers.length === 1 && first) parts.push(chip(first.name, { containers: [] }));
    else if (selection.containers.length > 1) parts.push(chip(`${selection.containers.length} containers`, { containers: [] }));
    if (selection.values.length === 1) parts.push(chip(selection.values[0], { values: [] }));
    else if (selection.values.length > 1) parts.push(chip(`${selection.values.length} values`, { values: [] }));
    fill(this.chips, ...parts);
  }

  /** The notes of the trace, and a form for a new one at an instant. */
  annotate(time: number): void {
    const { trace, store } = this.app;
    const list = h("ul", { class: "notes" });
    const text = h("input", { "aria-label": "Text of the note", placeholder: "What is here?" });
    const draw = () => {
      const notes = annotationsOf(trace.name);
      fill(list, ...notes.map((note, at) =>
        h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => (dialog.close(), this.goTo(note.time)) }, `${instant(note.time, (trace.stop - trace.start) / 1e6)} s`),
          h("span", { class: "grow" }, note.text),
          h("button", { type: "button", class: "quiet", "aria-label": `Delete ${note.text}`, onclick: () => (saveAnnotations(trace.name, notes.filter((_, place) => place !== at)), draw()) }, "✕"))));
      if (notes.length === 0) fill(list, h("li", { class: "note" }, "No notes yet. They stay in this browser."));
    };
    const add = (event: Event) => {
      event.preventDefault();
      if (text.value.trim() === "") return;
      saveAnnotations(trace.name, [...annotationsOf(trace.name), { time, text: text.value.trim() }]);
      text.value = "";
      draw();
      store.update({}, "replace");
    };
    const form = h("form", { onsubmit: add }, h("label", {}, `At ${time.toPrecision(9)} s `, text), h("button", { type: "submit" }, "Add"));
    const save = h("button", { type: "button", onclick: () => download(`${trace.name}-notes.json`, JSON.stringify(annotationsOf(trace.name), null, 1), "application/json") }, "Export");
    draw();
    const dialog = openDialog("Notes", h("div", { class: "statements" }, form, list), [save]);
    dialog.addEventListener("close", () => store.update({}, "replace"));
    text.focus();
  }

  private goTo(time: number): void {
    const { start, stop } = this.app.store.state;
    this.control.go(time - (stop - start) / 2, time + (stop - start) / 2);
  }
}
