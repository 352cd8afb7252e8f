// The frame around the views: head with trace, range and search, the strip, one or two views side by side, values and
// inspector. It holds the state, and tells the views in sight when it changes.
import type { Statement } from "./core/dialog";
import { type TraceEntry } from "./core/api";
import { fill, h, isTyping, style } from "./core/dom";
import { FindingList } from "./core/findinglist";
import { type Finding, selectionOf, windowOf } from "./core/findings";
import { Header } from "./core/header";
import { Inspector } from "./core/inspector";
import { showKeys } from "./core/keysdialog";
import { keys } from "./core/keys";
import { Legend } from "./core/legend";
import { Session } from "./core/session";
import { editColors } from "./core/colorsdialog";
import { decodeState, initialState, openingState, type PageState, type Step, Store } from "./core/store";
import { Strip } from "./core/strip";
import { Theme } from "./core/theme";
import { acceptDrops } from "./core/upload";
import { loadTrace, type TraceInfo } from "./core/trace";
import { openRows } from "./core/tree";
import type { Page, View } from "./core/view";
import { windowKeys, WindowControl } from "./timeline/gestures";
import { TimelineView } from "./timeline/view";
import { viewMakers, VIEW_NAMES } from "./views/registry";

/** Views that show where in time and space something is. */
const PICTURES = new Set(["timeline", "overview", "profile", "treemap", "communication"]);

export class App implements Page {
  readonly element = h("div", { class: "app" });
  readonly store: Store;
  readonly session = new Session();
  private readonly themes = new Theme();
  private readonly live = h("div", { class: "sr-only", role: "status", "aria-live": "polite", id: "live" });
  private readonly tip = h("div", { class: "tooltip", role: "tooltip", hidden: true });
  private readonly slots = [h("div", { class: "slot" }), h("div", { class: "slot", hidden: true })];
  private readonly aside = h("aside", { "aria-label": "Findings, values and inspector" });
  private readonly control: WindowControl;
  private readonly header: Header;
  private strip: Strip;
  private readonly findings: FindingList;
  private readonly legend: Legend;
  private readonly inspector: Inspector;
  private readonly makers: Map<string, () => View>;
  /** The views that were shown so far. */
  private readonly views = new Map<string, View>();
  private opening = "";

  constructor(readonly entries: TraceEntry[], public trace: TraceInfo) {
    this.store = new Store(openingState(trace, location.hash));
    this.control = new WindowControl(this.store, () => this.trace, (range) => this.timeline()?.align(range) ?? range);
    this.header = new Header(this, this.control);
    this.strip = new Strip(this, this.control);
    this.findings = new FindingList(this, (finding) => this.goTo(finding));
    this.legend = new Legend(this, () => this.editColors());
    this.inspector = new Inspector(this);
    this.aside.append(this.findings.element, this.legend.element, this.inspector.element);
    const hint = h("p", { class: "sr-only", id: "keys-hint" }, "Arrow keys move a cursor, Enter inspects, Space selects the row. The button Keys lists all other keys.");
    const main = h("main", { id: "main" }, h("div", { class: "slots" }, ...this.slots), this.aside, hint);
    this.element.append(h("a", { class: "skip", href: "#main", onclick: (event: Event) => this.skip(event) }, "Skip to the picture"), this.header.element, this.strip.element, main, this.live, this.tip);
    this.makers = viewMakers(this, this.control, entries, (finding) => this.goTo(finding));
    this.store.subscribe((state, changed, step) => this.changed(state, changed, step));
    window.addEventListener("popstate", () => void this.popped());
    window.addEventListener("keydown", (event) => this.key(event));
    this.themes.onchange = () => this.recolor();
    acceptDrops((name) => this.reopen(name), (text) => this.header.fail(text));
  }

  begin(): void {
    this.frame(this.store.state, null);
    // Views that are new draw all.
    this.store.update({}, "replace");
  }

  private timeline(): TimelineView | null {
    const view = this.views.get("timeline");
    return view instanceof TimelineView ? view : null;
  }

  /** A view by its name, made when it is first asked for. */
  private viewOf(name: string): View | null {
    const view = this.views.get(name) ?? this.makers.get(name)?.() ?? null;
    if (view) this.views.set(name, view);
    return view;
  }

  private skip(event: Event): void {
    event.preventDefault();
    const [slot] = this.slots;
    (slot.querySelector<HTMLElement>("canvas.plot") ?? slot.querySelector<HTMLElement>("[tabindex='0'], button"))?.focus();
  }

  private async popped(): Promise<void> {
    const name = new URLSearchParams(location.hash.slice(1)).get("trace") ?? this.trace.name;
    if (name !== this.trace.name && this.entries.some((entry) => entry.name === name)) {
      const trace = await loadTrace(name).catch((error: Error) => this.header.fail(`The trace ${name} could not be opened: ${error.message}`));
      if (!trace) return;
      this.trace = trace;
    }
    this.store.restore(decodeState(location.hash, initialState(this.trace.name, this.trace.start, this.trace.stop)));
  }

  /** Opens a trace that was imported just now: the page begins anew with it in its list. */
  private reopen(name: string): void {
    const trace = encodeURIComponent(name);
    history.pushState(null, "", `?trace=${trace}#v=1&trace=${trace}`);
    location.reload();
  }

  /** Opens another trace of the store. */
  async openTrace(name: string): Promise<void> {
    if (name === this.trace.name || name === this.opening) return;
    this.opening = name;
    try {
      const trace = await loadTrace(name);
      this.trace = trace;
      const view = this.store.state.view;
      this.inspector.clear();
      this.store.update({ ...initialState(name, trace.start, trace.stop), view, side: this.store.state.side });
    } catch (error) {
      this.header.fail(`The trace ${name} could not be opened: ${(error as Error).message}`);
    } finally {
      this.opening = "";
    }
  }

  private changed(state: PageState, changed: Set<keyof PageState>, step: Step): void {
    this.frame(state, changed);
    this.arrange(state, changed, step);
    if (step === "gesture") return;
    void this.strip.load();
    this.findings.update(state);
  }

  private frame(state: PageState, changed: Set<keyof PageState> | null): void {
    const selects = !changed || changed.has("selection") || changed.has("trace");
    this.header.update(state, selects);
    this.strip.update(state);
    if (selects) this.legend.update(state);
  }

  /** Puts the chosen views into their slots and lets them draw. */
  private arrange(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    const names = [VIEW_NAMES.has(state.view) ? state.view : "timeline", state.side === state.view ? "" : state.side];
    const shown = names.map((name) => this.viewOf(name));
    for (const view of this.views.values()) if (view.isVisible && !shown.includes(view)) view.hide();
    shown.forEach((view, at) => {
      this.slots[at].hidden = view === null;
      if (view && view.element.parentElement !== this.slots[at]) fill(this.slots[at], view.element);
    });
    style(this.slots[0].parentElement!, { "grid-template-columns": shown[1] ? "minmax(0, 1fr) minmax(0, 1fr)" : "minmax(0, 1fr)" });
    for (const view of shown) {
      if (!view) continue;
      const isNew = !view.isVisible;
      view.isVisible = true;
      view.refresh(state, isNew ? null : changed, step);
    }
    if (changed?.has("side")) for (const view of shown) view?.resized();
  }

  private key(event: KeyboardEvent): void {
    if (document.querySelector("dialog[open]")) return;
    if (windowKeys(event, this.control, (pixels) => this.timeline()?.scroller.scrollBy(0, pixels))) {
      event.preventDefault();
      return;
    }
    if (isTyping(event.target) || event.defaultPrevented) return;
    if (event.key === "Escape") this.store.update({ selection: { start: null, stop: null, containers: [], values: [] } });
    const action = keys.actionOf(event);
    if (action === null) return;
    event.preventDefault();
    if (action === "search") this.header.focusSearch();
    else if (action === "keys") showKeys(this);
    else if (action === "colors") this.editColors();
    else if (action === "back") history.back();
    else if (action === "notes") this.header.annotate((this.store.state.start + this.store.state.stop) / 2);
    else if (action.startsWith("view-")) {
      const name = [...VIEW_NAMES.keys()][Number(action.slice(5)) - 1];
      if (name) this.store.update({ view: name });
    }
  }

  /** Colors of values were changed: everything is painted anew. */
  editColors(): void {
    editColors(this, () => this.recolor());
  }

  say(text: string): void {
    this.live.textContent = text;
  }

  inspect(container: number, time: number): void {
    void this.inspector.show(container, time);
  }

  edit(sql: string): void {
    const { view } = this.store.state;
    this.store.update(view === "sql" ? { sql } : { sql, view: "sql" });
  }

  /** Goes to a finding: all views show and select its time, containers and values. */
  private goTo(finding: Finding): void {
    const { view, side } = this.store.state;
    const [start, stop] = this.control.clamp(...windowOf(finding));
    const isSeen = [view, side].some((name) => PICTURES.has(name));
    const selection = selectionOf(this.trace, finding);
    this.store.update({ start, stop, selection, expanded: this.openTo(selection.containers), view: isSeen ? view : "timeline" });
    this.say(`Went to finding ${finding.rank}: ${finding.title}`);
  }

  /** The open containers when those above some are open too, so that these have rows of their own. */
  private openTo(containers: number[]): number[] | null {
    const { expanded } = this.store.state;
    const open = openRows(this.trace, expanded);
    const before = open.size;
    for (const id of containers) {
      for (let at = this.trace.byId.get(id)?.parent ?? null; at !== null; at = this.trace.byId.get(at)?.parent ?? null) open.add(at);
    }
    return open.size === before ? expanded : [...open];
  }

  record(statement: Statement): void {
    this.session.add(this.trace.name, statement);
  }

  theme(name: string): string {
    return this.themes.value(name);
  }

  isDark(): boolean {
    return this.themes.isDark;
  }

  toggleTheme(): void {
    this.themes.toggle();
  }

  private recolor(): void {
    this.legend.update(this.store.state);
    this.strip.draw();
    this.timeline()?.recolor();
    for (const view of this.views.values()) if (view.isVisible) view.refresh(this.store.state, new Set(["selection"]), "replace");
  }

  tooltip(lines: (string | [string, string])[] | null, x: number, y: number): void {
    this.tip.hidden = lines === null;
    if (!lines) return;
    const [head, ...rest] = lines;
    fill(
      this.tip,
      h("strong", {}, typeof head === "string" ? head : head.join(" ")),
      ...rest.map((line) => (typeof line === "string" ? h("div", {}, line) : h("div", { class: "pair" }, h("span", {}, line[0]), h("span", {}, line[1])))),
    );
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = x + 14 + width > window.innerWidth ? x - width - 10 : x + 14;
    const top = Math.min(y + 14, window.innerHeight - height - 6);
    style(this.tip, { transform: `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)` });
  }
}
