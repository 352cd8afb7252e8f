// The treemap: containers as nested rectangles, as large as their time in states, or the integral of a variable.
import stateSql from "../../../../../../sql/page/treemap.sql?raw";
import variableSql from "../../../../../../sql/page/treemap_variable.sql?raw";
import type { Rows } from "../core/api";
import { css, isLight } from "../core/color";
import { fill, h } from "../core/dom";
import { amount, duration } from "../core/format";
import { Picture } from "../core/picture";
import { all, concernsSelection, timeOf, valuesIn } from "../core/selection";
import { filled } from "../core/sqltext";
import type { PageState, Step } from "../core/store";
import { colorOf } from "../core/trace";
import { type Page, View } from "../core/view";

interface Tile {
  container: number;
  name: string;
  depth: number;
  value: string | null;
  weight: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

export class TreemapView extends View {
  readonly id = "treemap";
  private readonly picture: Picture;
  private readonly weight = h("select", { "aria-label": "Size" });
  private readonly depth = h("select", { "aria-label": "Depth" });
  private tiles: Tile[] = [];
  private size: [number, number] = [1, 1];
  private isTime = true;
  private shown = "";

  constructor(page: Page) {
    super(page, "Treemap");
    this.picture = new Picture(page, "Treemap", (context) => this.draw(context), () => this.isVisible && void this.load(page.store.state));
    const change = (name: string, value: string) => page.store.update({ options: { ...page.store.state.options, [name]: value } });
    this.weight.addEventListener("change", () => change("weight", this.weight.value));
    this.depth.addEventListener("change", () => change("depth", this.depth.value));
    this.tools.append(h("label", {}, "size", this.weight), h("label", {}, "down to", this.depth));
    this.content.append(this.picture.element);
  }

  protected override drawing(_: PageState) {
    return { view: "treemap", options: {} };
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    this.offer(state);
    if (concernsSelection(changed) || changed?.has("options")) void this.load(state);
  }

  private offer(state: PageState): void {
    const { trace } = this.page;
    if (this.shown !== trace.name) {
      this.shown = trace.name;
      const types = new Set<string>();
      for (const list of trace.series.values()) for (const entry of list) if (entry.kind === "variable") types.add(entry.type);
      const deepest = Math.max(...trace.containers.map((container) => container.depth), 0);
      fill(this.weight, trace.counts.states > 0 && h("option", { value: "" }, "time in states"), ...[...types].map((type) => h("option", { value: type }, type)));
      fill(this.depth, h("option", { value: "" }, "all levels"), ...Array.from({ length: deepest }, (_, depth) => h("option", { value: depth }, `level ${depth}`)));
    }
    const wanted = state.options.weight ?? "";
    if ([...this.weight.options].some((option) => option.value === wanted)) this.weight.value = wanted;
    this.depth.value = state.options.depth ?? "";
  }

  private async load(state: PageState): Promise<void> {
    if (!this.picture.measure()) return;
    const [start, stop] = timeOf(state);
    const [width, height] = [this.picture.width, this.picture.height];
    const type = this.weight.value;
    if (type === "" && this.page.trace.counts.states === 0) return this.say("This trace has neither states nor variables.");
    const depth = this.depth.value === "" ? null : Number(this.depth.value);
    const condition = all(type === "" ? valuesIn(state) : null);
    const sql = filled(type === "" ? stateSql : variableSql, { start, stop, width, height, depth, condition, type });
    const rows = await this.ask("treemap", sql);
    if (!rows) return;
    this.isTime = type === "";
    this.size = [width, height];
    this.tiles = readTiles(rows);
    if (this.tiles.length === 0) this.say("Nothing in this selection has a size.");
    this.show();
  }

  private show(): void {
    const { store } = this.page;
    const [sx, sy] = [this.picture.width / this.size[0], this.picture.height / this.size[1]];
    for (const tile of this.tiles) [tile.x, tile.y, tile.w, tile.h] = [tile.x * sx, tile.y * sy, tile.w * sx, tile.h * sy];
    this.size = [this.picture.width, this.picture.height];
    this.picture.show(
      this.tiles.map((tile) => ({
        x: tile.x, y: tile.y, w: tile.w, h: tile.h,
        lines: [this.page.trace.byId.get(tile.container)?.path ?? tile.name, [tile.value ?? "in all", this.isTime ? duration(tile.weight) : amount(tile.weight)]],
        choose: () => store.update({ selection: { ...store.state.selection, containers: [tile.container] } }),
        open: () => this.page.store.update({ selection: { ...store.state.selection, containers: [tile.container] }, view: "timeline" }),
      })),
    );
  }

  private draw(context: CanvasRenderingContext2D): void {
    const { trace, store } = this.page;
    const chosen = new Set(store.state.selection.containers);
    context.textBaseline = "middle";
    context.font = `11px ${this.page.theme("--font")}`;
    const hasValues = this.tiles.some((tile) => tile.value !== null);
    const groups = this.groups(hasValues);
    for (const tile of this.tiles) {
      const leaf = !hasValues && trace.byId.get(tile.container)?.isLeaf;
      const color = tile.value !== null ? colorOf(trace, tile.value) : null;
      context.fillStyle = color ? css(color) : leaf ? this.page.theme("--variable") : this.page.theme("--panel");
      context.fillRect(tile.x, tile.y, Math.max(0, tile.w - 1), Math.max(0, tile.h - 1));
      if (!color) {
        context.strokeStyle = this.page.theme(chosen.has(tile.container) ? "--focus" : "--line");
        context.lineWidth = chosen.has(tile.container) ? 2 : 1;
        context.strokeRect(tile.x + 0.5, tile.y + 0.5, Math.max(0, tile.w - 2), Math.max(0, tile.h - 2));
      }
      const text = tile.value ?? (hasValues || groups.has(tile.container) ? "" : tile.name);
      if (text && tile.w > 46 && tile.h > 15) {
        context.fillStyle = color ? (isLight(color) ? "#111111" : "#ffffff") : leaf ? this.page.theme("--background") : this.page.theme("--ink");
        context.save();
        context.beginPath();
        context.rect(tile.x, tile.y, tile.w - 4, tile.h);
        context.clip();
        context.fillText(text, tile.x + 4, tile.y + 9);
        context.restore();
      }
    }
    this.drawNames(context, groups);
  }

  /** The containers whose tiles hold others: those with values, or those with containers right below them. */
  private groups(hasValues: boolean): Set<number> {
    const { byId } = this.page.trace;
    if (hasValues) return new Set(this.tiles.filter((tile) => tile.value !== null).map((tile) => tile.container));
    return new Set(this.tiles.map((tile) => byId.get(tile.container)?.parent ?? -1));
  }

  /** The names of the innermost groups over what they hold, where there is room. */
  private drawNames(context: CanvasRenderingContext2D, groups: Set<number>): void {
    const { byId } = this.page.trace;
    const outer = new Set([...groups].map((id) => byId.get(id)?.parent ?? -1));
    context.font = `600 11px ${this.page.theme("--font")}`;
    for (const tile of this.tiles) {
      if (tile.value !== null || tile.w < 60 || tile.h < 34 || !groups.has(tile.container) || outer.has(tile.container)) continue;
      const wide = Math.min(tile.w - 8, context.measureText(tile.name).width + 8);
      const [x, y] = [tile.x + 3, tile.y + tile.h - 18];
      context.fillStyle = this.page.theme("--background");
      context.fillRect(x, y, wide, 15);
      context.fillStyle = this.page.theme("--ink");
      context.save();
      context.beginPath();
      context.rect(x, y, wide, 15);
      context.clip();
      context.fillText(tile.name, x + 4, y + 8);
      context.restore();
    }
  }
}

function readTiles(rows: Rows): Tile[] {
  const column = (name: string) => rows.column(name);
  return Array.from({ length: rows.length }, (_, row) => ({
    container: column("container_id")[row], name: column("container")[row], depth: column("depth")[row], value: column("value")[row] ?? null,
    weight: column("weight")[row], x: column("x")[row], y: column("y")[row], w: column("w")[row], h: column("h")[row],
  })).sort((a, b) => a.depth - b.depth || Number(a.value !== null) - Number(b.value !== null));
}
