// What the timeline holds between two questions: its rows, the columns that were answered, and the bitmaps made of them.
import { parseColor, type Color, pixel, REST, rgb } from "../core/color";
import type { PageState } from "../core/store";
import { colorOf, type TraceInfo } from "../core/trace";
import { firstRowsOf, type Row, rowKey } from "../core/tree";
import type { Columns } from "./columns";
import type { StateColumns } from "./data";
import { ExactRows } from "./exact";
import type { LinkBundles } from "./bundles";
import type { EventColumns, PathStep, TimelineLink, VariableColumns } from "./layers";
import { canvasOf, paintStates } from "./paint";
import { withPins } from "./room";
import { stripPlace } from "./strips";

export interface Bitmap {
  canvas: HTMLCanvasElement;
  /** The range of time that it shows. */
  start: number;
  stop: number;
  /** Its upper edge and its height among the rows, in pixels of the page. */
  top: number;
  height: number;
  /** Whether it stays while other rows scroll. */
  pinned: boolean;
}

/** Pixels of the device per pixel of the page, and colors of the theme. */
export interface PaintLooks {
  scale: number;
  background: string;
  variable: string;
}

/** What is painted for itself when it is answered, from the ground up. */
const LAYERS = ["states", "query", "variables", "events"] as const;
export type Layer = (typeof LAYERS)[number];

export class TimelineModel {
  rows: Row[] = [];
  /** The first row of each container. */
  firstRows = new Map<number, Row>();
  /** The rows that bitmaps show. */
  asked: Row[] = [];
  /** How high the rows are that stay at the top. */
  pinnedHeight = 0;
  states: StateColumns | null = null;
  /** Rows of the user's own SQL, and the colors of their values. */
  query: StateColumns | null = null;
  queryColors = new Map<string, Color>();
  /** The exact amounts of rows that were pointed at. */
  readonly exact: ExactRows = new ExactRows();
  variables: VariableColumns | null = null;
  events: EventColumns | null = null;
  links: TimelineLink[] = [];
  /** Links in bundles, where they are too many. */
  bundles: LinkBundles | null = null;
  path: PathStep[] = [];
  /** The rows that each kind of layer was answered for. */
  private readonly known = new Map<Row["kind"], Set<string>>();
  private readonly painted = new Map<Layer, Bitmap[]>();
  /** Layers whose bitmaps no longer show what they should, and those whose bitmaps show the rows in sight only. */
  private readonly stale = new Set<Layer>();
  private readonly partial = new Set<Layer>();

  /** Takes back what was answered for another trace. */
  forget(): void {
    this.states = this.variables = this.events = this.query = this.bundles = null;
    [this.links, this.path] = [[], []];
    this.exact.clear();
    this.known.clear();
    this.repaintAll();
  }

  /** Notes which rows a kind of layer was answered for. */
  knows(kind: Row["kind"], rows: Row[]): void {
    this.known.set(kind, new Set(rows.map((row) => rowKey(row.container.id, row.kind, row.type))));
  }

  /** Whether what a row shows was answered, be it that there is nothing. */
  isKnown(row: Row): boolean {
    return this.known.get(row.kind)?.has(rowKey(row.container.id, row.kind, row.type)) ?? row.kind === "query";
  }

  /** Takes rows; pinned ones stay at the top if they leave most of the room to others. */
  setRows(rows: Row[], room: number): void {
    [this.rows, this.pinnedHeight] = withPins(rows, room);
    this.firstRows = firstRowsOf(this.rows);
  }

  /** Where a row is on the screen, from the top of the plot, when rows are scrolled so far. */
  screenTop(row: Row, scroll: number): number {
    return row.pinned ? row.top : row.top - scroll;
  }

  /** The states, or the rows of SQL, that a row shows. */
  dataOf(row: Row): StateColumns | null {
    return row.kind === "query" ? this.query : row.kind === "state" ? this.states : null;
  }

  /** The columns that were asked for last. */
  columns(): Columns | null {
    return (this.states ?? this.variables ?? this.events ?? this.query)?.columns ?? null;
  }

  height(): number {
    const last = this.rows[this.rows.length - 1];
    return last ? last.top + last.height : 0;
  }

  /** The row at a height. */
  rowAt(y: number): Row | null {
    let [low, high] = [0, this.rows.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.rows[middle].top <= y) low = middle;
      else high = middle - 1;
    }
    const row = this.rows[low];
    return row && y >= row.top && y < row.top + row.height ? row : null;
  }

  levelAt(row: Row, y: number): number {
    for (let level = row.levels - 1; level >= 0; level--) if (y - row.top >= stripPlace(row, level).top) return level;
    return 0;
  }

  /** Takes the rows that were asked for; a layer that was answered, or all where the rows are others, is painted anew. */
  ask(rows: Row[], answered: Layer | "all"): void {
    const isSame = rows.length === this.asked.length && rows.every((row, at) => row === this.asked[at]);
    this.asked = rows;
    if (isSame && answered !== "all") this.stale.add(answered);
    else this.repaintAll();
  }

  /** All layers are painted anew the next time. */
  repaintAll(): void {
    for (const layer of LAYERS) this.stale.add(layer);
  }

  get bitmaps(): Bitmap[] {
    return LAYERS.flatMap((layer) => this.painted.get(layer) ?? []);
  }

  /** Paints what is stale, as far as it lies within some heights; pinned rows have bitmaps of their own. Whether some is left. */
  paint(trace: TraceInfo, state: PageState, looks: PaintLooks, sight: [number, number]): boolean {
    const isSeen = (row: Row) => row.pinned || (row.top + row.height > sight[0] && row.top < sight[1]);
    const seen = this.asked.filter(isSeen);
    this.paintLayers(this.stale, seen, trace, state, looks);
    for (const layer of this.stale) {
      if (seen.length < this.asked.length) this.partial.add(layer);
      else this.partial.delete(layer);
    }
    this.stale.clear();
    return this.partial.size > 0;
  }

  /** Paints the rows of a layer that were out of sight; whether another layer is left. */
  paintRest(trace: TraceInfo, state: PageState, looks: PaintLooks): boolean {
    const [layer] = this.partial;
    if (layer === undefined) return false;
    this.paintLayers(new Set([layer]), this.asked, trace, state, looks);
    this.partial.delete(layer);
    return this.partial.size > 0;
  }

  private paintLayers(layers: Set<Layer>, asked: Row[], trace: TraceInfo, state: PageState, { scale, background, variable }: PaintLooks): void {
    const fades = fading(trace, state);
    const ground = toColor(background);
    const paintLayer: Record<Layer, (rows: Row[]) => [HTMLCanvasElement | null, Columns] | null> = {
      states: (rows) => this.states && [paintStates(this.states, rows, scale, (value, row) => ({ color: colorOf(trace, value), faded: fades(value, row) }), ground), this.states.columns],
      query: (rows) => this.query && [paintStates(this.query, rows, scale, (value, row) => ({ color: this.queryColors.get(value) ?? REST, faded: fades(value, row) }), ground, "query"), this.query.columns],
      variables: (rows) => paintOver(this.variables, "variable", rows, scale, variable),
      events: (rows) => paintOver(this.events, "event", rows, scale, variable),
    };
    for (const layer of layers) {
      const bitmaps: Bitmap[] = [];
      for (const pinned of [false, true]) {
        const rows = asked.filter((row) => row.pinned === pinned);
        const [canvas, columns] = (rows.length > 0 && paintLayer[layer](rows)) || [null, null];
        if (canvas && columns) bitmaps.push({ canvas, start: columns.start, stop: columns.stop, ...extent(rows), pinned });
      }
      this.painted.set(layer, bitmaps);
    }
  }
}

/** A bitmap of variables or events; null where no row has any. */
function paintOver(data: VariableColumns | EventColumns | null, kind: Row["kind"], rows: Row[], scale: number, color: string): [HTMLCanvasElement, Columns] | null {
  if (!data || !rows.some((row) => row.kind === kind)) return null;
  const { top, height } = extent(rows);
  const image = new ImageData(data.columns.width, Math.max(1, Math.round(height * scale)));
  const pixels = { data: new Uint32Array(image.data.buffer), width: image.width, height: image.height };
  data.paint(pixels, rows, top, scale, pixel(toColor(color)));
  return [canvasOf(image), data.columns];
}

/** From the upper edge of the first row to the lower edge of the last. */
function extent(rows: Row[]): { top: number; height: number } {
  const last = rows[rows.length - 1];
  return { top: rows[0].top, height: last.top + last.height - rows[0].top };
}

/** Which values of which rows fade: those that are not isolated, not selected or not found. */
export function fading(trace: TraceInfo, state: PageState): (value: string, row: Row) => boolean {
  const values = new Set(state.selection.values);
  const found = matcher(state.search);
  const names = new Map<string, boolean>();
  const valueFound = (value: string) => {
    let hit = names.get(value);
    if (hit === undefined) names.set(value, (hit = found(value)));
    return hit;
  };
  return (value, row) => {
    if (values.size > 0 && !values.has(value)) return true;
    return state.search !== "" && !valueFound(value) && !rowFound(trace, row, found);
  };
}

/** Whether a row, or a container that it stands for, has a name that was searched. */
export function rowFound(trace: TraceInfo, row: Row, found: (text: string) => boolean): boolean {
  if (found(row.container.name)) return true;
  if (!row.lifted) return false;
  for (let place = row.container.preorder; place <= row.container.last; place++) {
    if (found(trace.containers[place].name)) return true;
  }
  return false;
}

/** Whether a text contains what is searched, letters of both cases alike. */
export function matcher(search: string): (text: string) => boolean {
  const wanted = search.toLowerCase();
  return (text) => wanted !== "" && text.toLowerCase().includes(wanted);
}

export function toColor(text: string): Color {
  const match = /rgb\((\d+), ?(\d+), ?(\d+)\)/.exec(text);
  if (match) return rgb(Number(match[1]), Number(match[2]), Number(match[3]));
  return parseColor(text) ?? rgb(255, 255, 255);
}
