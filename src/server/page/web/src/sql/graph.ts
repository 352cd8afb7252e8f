// A result with source and target as a graph: the server places the nodes, edges are as wide as their first number.
import graphSql from "../../../../../../sql/page/graph.sql?raw";
import type { Rows } from "../core/api";
import { fill, h } from "../core/dom";
import { amount, cell, count } from "../core/format";
import { type Item, Picture } from "../core/picture";
import { filled, Fragment } from "../core/sqltext";
import type { Page } from "../core/view";

const EDGE = 46;
const MOST_NODES = 400;
/** Nodes from which on a force takes long and says little. */
const MANY_NODES = 150;

interface GraphNode {
  key: string;
  name: string;
  x: number;
  y: number;
  out: number;
  in: number;
}

/** Whether columns of a result are those of a graph. */
export function fitsGraph(names: string[]): boolean {
  const has = (name: string) => names.includes(name);
  return (has("source") && has("target")) || (has("source_id") && has("target_id"));
}

export class Graph {
  readonly element: HTMLElement;
  private readonly picture: Picture;
  private readonly note = h("p", { class: "note" });
  private nodes = new Map<string, GraphNode>();
  private edges = new Map<string, { from: string; to: string; weight: number }>();
  private weightName = "";
  private asked = { width: 1, height: 1 };

  /** `table` is what stands beside the picture. */
  constructor(private readonly page: Page, private readonly table: () => HTMLElement) {
    this.picture = new Picture(page, "Graph of the result", (context) => this.draw(context), () => this.picture.show(this.items()));
    this.element = h("div", { class: "graph" }, h("div", { class: "graph-room" }, this.note, this.picture.element), h("div", { class: "graph-table" }));
  }

  /** Takes its place: the table moves in beside it. */
  open(): void {
    fill(this.element.lastElementChild!, this.table());
  }

  /** Shows the rows of a statement; `ask` sends the question where the nodes lie. */
  async show(sql: string, rows: Rows, ask: (sql: string) => Promise<Rows | null>): Promise<void> {
    this.picture.measure();
    this.readEdges(rows);
    const nodes = new Set([...this.edges.values()].flatMap((edge) => [edge.from, edge.to])).size;
    this.nodes = new Map();
    this.picture.show([]);
    if (nodes > MOST_NODES) {
      this.note.textContent = `${count(nodes)} nodes are too many to be told apart: at most ${MOST_NODES} are drawn. Add up or filter the rows.`;
      return;
    }
    this.asked = { width: Math.max(100, this.picture.width - 2 * EDGE), height: Math.max(100, this.picture.height - 2 * EDGE) };
    const columns = ["source_id", "source", "target_id", "target"].filter((name) => rows.names.includes(name));
    const placed = await ask(filled(graphSql, { rows: new Fragment(sql), columns: new Fragment(columns.join(", ")), algorithm: nodes > MANY_NODES ? "circular" : "force", ...this.asked }));
    if (!placed) return;
    this.place(placed, rows.names.includes("source_id"));
    this.note.textContent = `${count(this.nodes.size)} nodes, ${count(this.edges.size)} edges${this.weightName ? `, as wide as their ${this.weightName}` : ""}`;
    this.picture.show(this.items());
  }

  private readEdges(rows: Rows): void {
    const suffix = rows.names.includes("source_id") && rows.names.includes("target_id") ? "_id" : "";
    const [sources, targets] = [rows.column(`source${suffix}`), rows.column(`target${suffix}`)];
    const isNumber = (at: number) => /integer|float|decimal/.test(rows.types[at]) && !/(_id|_tick|_time)$/.test(rows.names[at]);
    this.weightName = rows.names.find((_, at) => isNumber(at)) ?? "";
    this.edges = new Map();
    for (let row = 0; row < rows.length; row++) {
      if (sources[row] == null || targets[row] == null) continue;
      const [from, to] = [cell(sources[row]), cell(targets[row])];
      const key = `${from}\u0000${to}`;
      const edge = this.edges.get(key) ?? { from, to, weight: 0 };
      edge.weight += this.weightName ? Number(rows.column(this.weightName)[row] ?? 0) : 1;
      this.edges.set(key, edge);
    }
  }

  private place(rows: Rows, hasIds: boolean): void {
    const [ids, names, xs, ys] = ["node_id", "node", "x", "y"].map((name) => rows.column(name));
    for (let row = 0; row < rows.length; row++) {
      const key = hasIds && ids[row] !== null ? cell(ids[row]) : names[row];
      this.nodes.set(key, { key, name: names[row], x: xs[row], y: ys[row], out: 0, in: 0 });
    }
    for (const { from, to, weight } of this.edges.values()) {
      const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
      if (source) source.out += weight;
      if (target) target.in += weight;
    }
  }

  /** Where a node is drawn, in the room that the picture has now. */
  private at(node: GraphNode): [number, number] {
    const [wide, high] = [(this.picture.width - 2 * EDGE) / this.asked.width, (this.picture.height - 2 * EDGE) / this.asked.height];
    return [EDGE + node.x * wide, EDGE + node.y * high];
  }

  private radius(): number {
    return this.nodes.size > 60 ? 5 : 9;
  }

  /** The container that a node is: by its id, or if only one has its name. */
  private container(node: GraphNode): number | null {
    const { byId, containers } = this.page.trace;
    const id = Number(node.key);
    if (Number.isInteger(id) && byId.get(id)?.name === node.name) return id;
    const named = containers.filter((container) => container.name === node.name);
    return named.length === 1 ? named[0].id : null;
  }

  private items(): Item[] {
    const { store } = this.page;
    const size = this.radius();
    const weight = this.weightName || "edges";
    return [...this.nodes.values()].map((node) => {
      const [x, y] = this.at(node);
      const id = this.container(node);
      const most = [...this.edges.values()].filter((edge) => edge.from === node.key || edge.to === node.key).sort((a, b) => b.weight - a.weight).slice(0, 5);
      const name = (key: string) => this.nodes.get(key)?.name ?? key;
      return {
        x: x - size, y: y - size, w: 2 * size, h: 2 * size,
        lines: [node.name, [`${weight} out`, amount(node.out)], [`${weight} in`, amount(node.in)], ...most.map((edge): [string, string] => [`${name(edge.from)} → ${name(edge.to)}`, amount(edge.weight)])],
        choose: id === null ? undefined : () => store.update({ selection: { ...store.state.selection, containers: [id] } }),
      };
    });
  }

  private draw(context: CanvasRenderingContext2D): void {
    const most = Math.max(1e-300, ...[...this.edges.values()].map((edge) => Math.abs(edge.weight)));
    const size = this.radius();
    context.strokeStyle = context.fillStyle = this.page.theme("--variable");
    for (const edge of this.edges.values()) {
      const [from, to] = [this.nodes.get(edge.from), this.nodes.get(edge.to)];
      if (!from || !to) continue;
      context.lineWidth = 0.6 + 5 * (Math.abs(edge.weight) / most);
      context.globalAlpha = 0.35 + 0.5 * (Math.abs(edge.weight) / most);
      if (from === to) loop(context, this.at(from), size);
      else arc(context, this.at(from), this.at(to), size, context.lineWidth);
    }
    context.globalAlpha = 1;
    context.font = `12px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    context.textAlign = "center";
    const chosen = new Set(this.page.store.state.selection.containers);
    for (const node of this.nodes.values()) {
      const [x, y] = this.at(node);
      context.fillStyle = this.page.theme(chosen.has(this.container(node) ?? -1) ? "--focus" : "--accent");
      context.beginPath();
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.fill();
      if (this.nodes.size > 120) continue;
      context.strokeStyle = this.page.theme("--background");
      context.lineWidth = 3;
      context.strokeText(node.name.slice(0, 24), x, y + size + 9);
      context.fillStyle = this.page.theme("--ink");
      context.fillText(node.name.slice(0, 24), x, y + size + 9);
    }
    context.textAlign = "start";
  }
}

/** An edge bent a little to its right, so that both directions are seen, with its head at the border of the node. */
function arc(context: CanvasRenderingContext2D, from: [number, number], to: [number, number], radius: number, wide: number): void {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const bend = Math.min(24, length * 0.12);
  const [x, y] = [(from[0] + to[0]) / 2 - (dy / length) * bend, (from[1] + to[1]) / 2 + (dx / length) * bend];
  const angle = Math.atan2(to[1] - y, to[0] - x);
  const tip: [number, number] = [to[0] - radius * Math.cos(angle), to[1] - radius * Math.sin(angle)];
  const head = 5 + wide * 1.4;
  context.beginPath();
  context.moveTo(...from);
  context.quadraticCurveTo(x, y, tip[0] - head * 0.7 * Math.cos(angle), tip[1] - head * 0.7 * Math.sin(angle));
  context.stroke();
  context.beginPath();
  context.moveTo(...tip);
  context.lineTo(tip[0] - head * Math.cos(angle - 0.4), tip[1] - head * Math.sin(angle - 0.4));
  context.lineTo(tip[0] - head * Math.cos(angle + 0.4), tip[1] - head * Math.sin(angle + 0.4));
  context.fill();
}

/** An edge from a node to itself. */
function loop(context: CanvasRenderingContext2D, [x, y]: [number, number], radius: number): void {
  context.beginPath();
  context.arc(x, y - radius * 1.6, radius, 0, 2 * Math.PI);
  context.stroke();
}
