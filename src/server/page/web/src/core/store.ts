// What the page shows, as one value: the trace, the window, the selection, the views. It lives in the address (version 1),
// so that Back undoes a step and a link opens the same. Views subscribe; settled changes become steps of the history.

/** The version of addresses. */
export const VERSION = "1";

/** What is selected: time × containers × values. Null and empty mean all. */
export interface Selection {
  start: number | null;
  stop: number | null;
  containers: number[];
  values: string[];
}

export interface PageState {
  trace: string;
  /** The window, in seconds. */
  start: number;
  stop: number;
  view: string;
  /** A second view beside the first, or "". */
  side: string;
  selection: Selection;
  /** Containers whose children are rows; null for the choice of the page. */
  expanded: number[] | null;
  /** Containers that have no rows, those whose rows stay at the top, and what siblings are sorted by: "" as in the trace. */
  hidden: number[];
  pinned: number[];
  sort: string;
  /** SQL whose rows are a group of rows in the timeline, or "". */
  rows: string;
  /** The weight of gain against loss in the overview. */
  p: number;
  slices: number;
  search: string;
  /** Whether the critical path is drawn over the timeline. */
  path: boolean;
  /** The other run of a comparison, and how it is aligned. */
  other: string;
  align: string;
  /** SQL that is shown in the editor. */
  sql: string;
  /** Columns of the treemap's depth, metric of the matrix: small choices of views, by name. */
  options: Record<string, string>;
}

export const NO_SELECTION: Selection = { start: null, stop: null, containers: [], values: [] };

/** Where a trace begins in every respect but its window. */
export function initialState(trace: string, start: number, stop: number): PageState {
  return {
    trace, start, stop, view: "timeline", side: "", selection: NO_SELECTION, expanded: null, hidden: [], pinned: [], sort: "",
    rows: "", p: 0.3, slices: 30, search: "", path: false, other: "", align: "start", sql: "", options: {},
  };
}

/** What the page shows of a trace when it is opened: what the address says, otherwise all of it, in the view that has something to show. */
export function openingState(trace: { name: string; start: number; stop: number; counts: Record<string, number> }, hash: string): PageState {
  const { states, variables, events } = trace.counts;
  const view = states + variables + events > 0 ? "timeline" : "communication";
  return decodeState(hash, { ...initialState(trace.name, trace.start, trace.stop), view });
}

/** How a change enters the history: as a step, in place, or not yet (within a gesture). */
export type Step = "push" | "replace" | "gesture";

export type Listener = (state: PageState, changed: Set<keyof PageState>, step: Step) => void;

export class Store {
  private listeners: Listener[] = [];
  /** What gestures have changed since the last step. */
  private pending = new Set<keyof PageState>();

  constructor(public state: PageState) {}

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Changes the state and tells everyone. */
  update(change: Partial<PageState>, step: Step = "push"): void {
    const changed = new Set<keyof PageState>();
    for (const name of Object.keys(change) as (keyof PageState)[]) {
      if (JSON.stringify(this.state[name]) !== JSON.stringify(change[name])) changed.add(name);
    }
    if (changed.size === 0 && step === "gesture") return;
    if (step === "gesture") {
      for (const name of changed) this.pending.add(name);
    } else {
      for (const name of this.pending) changed.add(name);
      this.pending.clear();
    }
    this.state = { ...this.state, ...change };
    if (step === "push" && location.hash !== encodeState(this.state)) {
      history.pushState(null, "", addressOf(this.state));
    } else if (step === "replace") {
      history.replaceState(null, "", addressOf(this.state));
    }
    for (const listener of this.listeners) listener(this.state, changed, step);
  }

  /** Takes over the state of an address, without a new step. */
  restore(state: PageState): void {
    const changed = new Set<keyof PageState>();
    for (const name of Object.keys(state) as (keyof PageState)[]) {
      if (JSON.stringify(this.state[name]) !== JSON.stringify(state[name])) changed.add(name);
    }
    this.state = state;
    for (const listener of this.listeners) listener(this.state, changed, "replace");
  }
}

/** The address of a state. Its fragment holds all of it; the server, which sees no fragment, is told the trace, whose first answers it sends with the page. */
export function addressOf(state: PageState): string {
  return `?trace=${encodeURIComponent(state.trace)}${encodeState(state)}`;
}

/** The state as the fragment of an address. */
export function encodeState(state: PageState): string {
  const parts = new URLSearchParams();
  parts.set("v", VERSION);
  parts.set("trace", state.trace);
  parts.set("t", `${state.start},${state.stop}`);
  parts.set("view", state.view);
  if (state.side) parts.set("side", state.side);
  const { start, stop, containers, values } = state.selection;
  if (start !== null && stop !== null) parts.set("st", `${start},${stop}`);
  if (containers.length > 0) parts.set("sc", containers.join(","));
  for (const value of values) parts.append("sv", value);
  if (state.expanded) parts.set("x", state.expanded.join(","));
  if (state.hidden.length > 0) parts.set("hide", state.hidden.join(","));
  if (state.pinned.length > 0) parts.set("pin", state.pinned.join(","));
  if (state.sort) parts.set("sort", state.sort);
  if (state.rows) parts.set("rows", state.rows);
  if (state.p !== 0.3) parts.set("p", String(state.p));
  if (state.slices !== 30) parts.set("slices", String(state.slices));
  if (state.search) parts.set("find", state.search);
  if (state.path) parts.set("path", "1");
  if (state.other) parts.set("other", state.other);
  if (state.align !== "start") parts.set("align", state.align);
  if (state.sql) parts.set("sql", state.sql);
  for (const [name, value] of Object.entries(state.options)) parts.append("o", `${name}=${value}`);
  return "#" + parts.toString();
}

/** The state of an address over the one that a trace begins with. What is not understood is left as it was. */
export function decodeState(hash: string, initial: PageState): PageState {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (parts.get("v") !== VERSION || parts.get("trace") !== initial.trace) return initial;
  const state: PageState = { ...initial, selection: { ...NO_SELECTION } };
  const pair = (text: string | null): [number, number] | null => {
    const [start, stop] = (text ?? "").split(",").map(Number);
    return Number.isFinite(start) && Number.isFinite(stop) && stop > start ? [start, stop] : null;
  };
  const ids = (text: string) => text.split(",").filter((part) => /^\d+$/.test(part)).map(Number);
  const window = pair(parts.get("t"));
  if (window) [state.start, state.stop] = window;
  const selected = pair(parts.get("st"));
  if (selected) [state.selection.start, state.selection.stop] = selected;
  state.selection.containers = ids(parts.get("sc") ?? "");
  state.selection.values = parts.getAll("sv");
  state.view = parts.get("view") ?? state.view;
  state.side = parts.get("side") ?? "";
  if (parts.has("x")) state.expanded = ids(parts.get("x") ?? "");
  state.hidden = ids(parts.get("hide") ?? "");
  state.pinned = ids(parts.get("pin") ?? "");
  state.sort = parts.get("sort") ?? "";
  state.rows = parts.get("rows") ?? "";
  const p = Number(parts.get("p") ?? state.p);
  if (p >= 0 && p <= 1) state.p = p;
  const slices = Number(parts.get("slices") ?? state.slices);
  if (Number.isInteger(slices) && slices >= 1 && slices <= 500) state.slices = slices;
  state.search = parts.get("find") ?? "";
  state.path = parts.get("path") === "1";
  state.other = parts.get("other") ?? "";
  state.align = parts.get("align") ?? "start";
  state.sql = parts.get("sql") ?? "";
  state.options = {};
  for (const option of parts.getAll("o")) {
    const [name, ...rest] = option.split("=");
    state.options[name] = rest.join("=");
  }
  return state;
}
