// The inspector: every field of what a container does at an instant, those of the trace's own included, its ancestors, its
// messages, and the states before and after.
import entitySql from "../../../../../../sql/page/entity.sql?raw";
import inspectSql from "../../../../../../sql/page/inspect.sql?raw";
import messagesSql from "../../../../../../sql/page/messages.sql?raw";
import neighborsSql from "../../../../../../sql/page/neighbors.sql?raw";
import { query, type Rows } from "./api";
import { css } from "./color";
import { fill, h, style } from "./dom";
import { amount, cell, duration } from "./format";
import { filled } from "./sqltext";
import { colorOf } from "./trace";
import type { Page } from "./view";

/** Fields that the heading tells already, or that say the same twice. */
const QUIET = new Set(["container_id", "container", "type", "value", "start_tick", "end_tick", "source_id", "target_id"]);

export class Inspector {
  readonly element = h("section", { class: "inspector", "aria-label": "Inspector", "aria-live": "off" });
  private controller: AbortController | null = null;

  constructor(private readonly page: Page) {
    this.clear();
  }

  clear(): void {
    fill(this.element, h("header", {}, h("h2", {}, "Inspector")), h("p", { class: "note" }, "Click a place of the timeline to see every field of what is there."));
  }

  async show(container: number, time: number): Promise<void> {
    this.controller?.abort();
    const controller = (this.controller = new AbortController());
    const { trace } = this.page;
    const at = Math.min(Math.max(time, trace.start), trace.stop - trace.tick);
    const ask = (sql: string) => query(sql, trace.name, controller.signal);
    const sql = { what: filled(inspectSql, { container, time: at }), fields: filled(entitySql, { container, time: at }) };
    try {
      const [what, fields] = await Promise.all([ask(sql.what), ask(sql.fields)]);
      this.page.record({ title: "inspector", sql: sql.what, rows: what });
      await this.draw(container, at, what, fields, ask);
    } catch (error) {
      if (!controller.signal.aborted) fill(this.element, h("header", {}, h("h2", {}, "Inspector")), h("p", { class: "message error" }, (error as Error).message));
    }
  }

  private async draw(id: number, time: number, what: Rows, fields: Rows, ask: (sql: string) => Promise<Rows>): Promise<void> {
    const { trace } = this.page;
    const container = trace.byId.get(id);
    if (!container) return;
    const parts: Node[] = [];
    for (let row = 0; row < fields.length; row++) parts.push(this.state(fields, row));
    const innermost = fields.length - 1;
    if (innermost >= 0) parts.push(...(await this.around(id, fields, innermost, ask)));
    for (let row = 0; row < what.length; row++) if (what.texts("kind")[row] !== "state") parts.push(this.other(what, row));
    if (parts.length === 0) parts.push(h("p", { class: "note" }, container.isLeaf ? "In no state at this instant." : "Nothing of its own at this instant; expand it to see what lies below."));
    const line = h("p", { class: "path", title: container.path }, container.path, h("span", { class: "note" }, ` ${container.type}`));
    fill(this.element, h("header", {}, h("h2", {}, "Inspector"), h("span", { class: "grow" }), h("span", { class: "note" }, `${cell(Number(time.toPrecision(12)))} s`)), line, ...parts);
    this.page.say(this.element.textContent ?? "");
  }

  private head(value: string, type: string): HTMLElement {
    const swatch = style(h("i", { class: "swatch" }), { "background-color": css(colorOf(this.page.trace, value)) });
    return h("h3", {}, swatch, h("span", { class: "name" }, value), h("span", { class: "note" }, ` ${type}`));
  }

  private state(rows: Rows, row: number): HTMLElement {
    const list = h("dl", {});
    for (const name of rows.names) {
      const value = rows.column(name)[row];
      if (QUIET.has(name) || value === null || value === undefined) continue;
      const text = name === "duration" ? duration(value) : /_time$/.test(name) ? `${cell(value)} s` : cell(value);
      list.append(h("dt", {}, name), h("dd", {}, text));
    }
    const file = place(rows, row);
    if (file) list.append(h("dt", {}, "source"), h("dd", {}, h("a", { href: `vscode://file/${encodeURI(file)}` }, file)));
    return h("article", {}, this.head(rows.texts("value")[row], rows.texts("type")[row]), list);
  }

  private other(rows: Rows, row: number): HTMLElement {
    const list = h("dl", {});
    for (const name of ["source", "target", "start_time", "end_time"]) {
      const value = rows.column(name)[row];
      if (value !== null && value !== undefined) list.append(h("dt", {}, name), h("dd", {}, cell(value)));
    }
    return h("article", {}, h("h3", {}, h("span", { class: "name" }, cell(rows.column("value")[row])), h("span", { class: "note" }, ` ${rows.texts("kind")[row]} ${rows.texts("type")[row]}`)), list);
  }

  private async around(container: number, rows: Rows, row: number, ask: (sql: string) => Promise<Rows>): Promise<Node[]> {
    const [type, depth] = [rows.texts("type")[row], rows.numbers("depth")[row]];
    const [start, stop] = [rows.numbers("start_time")[row], rows.numbers("end_time")[row]];
    const [near, links] = await Promise.all([
      ask(filled(neighborsSql, { container, type, depth, start, stop })),
      this.page.trace.counts.links > 0 ? ask(filled(messagesSql, { container, start, stop })) : Promise.resolve(null),
    ]);
    const steps = h("p", { class: "steps" });
    for (const side of ["previous", "next"]) {
      const at = Array.from({ length: near.length }, (_, place) => place).find((place) => near.texts("side")[place] === side);
      const middle = at === undefined ? 0 : (near.numbers("start_time")[at] + near.numbers("end_time")[at]) / 2;
      const text = at === undefined ? `no ${side}` : `${side === "previous" ? "← " : ""}${near.texts("value")[at]}${side === "next" ? " →" : ""}`;
      steps.append(h("button", { type: "button", class: "quiet", disabled: at === undefined, title: side, onclick: () => void this.step(container, middle) }, text));
    }
    return links && links.length > 0 ? [steps, this.messages(links)] : [steps];
  }

  /** Goes to a neighbor, and moves the window when it is out of sight. */
  private async step(container: number, time: number): Promise<void> {
    const { start, stop } = this.page.store.state;
    if (time < start || time > stop) this.page.store.update({ start: time - (stop - start) / 2, stop: time + (stop - start) / 2 });
    await this.show(container, time);
  }

  private messages(links: Rows): HTMLElement {
    const list = h("ul", { class: "messages" });
    for (let row = 0; row < links.length; row++) {
      const volume = links.column("volume")[row];
      const far = links.numbers("target_id")[row];
      list.append(
        h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => void this.show(far, links.numbers("end_time")[row]) }, `${links.texts("source")[row]} → ${links.texts("target")[row]}`),
          h("span", { class: "note" }, ` ${volume === null || volume === undefined ? "" : amount(volume)} ${duration(links.numbers("duration")[row])}`)),
      );
    }
    return h("article", {}, h("h3", {}, "Messages"), list);
  }
}

/** The place in a source that fields name, as file:line. */
function place(rows: Rows, row: number): string | null {
  const name = rows.names.find((name) => /^file(_?name)?$/i.test(name));
  const line = rows.names.find((name) => /^line(_?number)?$/i.test(name));
  const file = name ? rows.column(name)[row] : null;
  return file ? `${cell(file)}${line ? `:${cell(rows.column(line)[row])}` : ""}` : null;
}
