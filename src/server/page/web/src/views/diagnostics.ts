// What was wrong with the trace: every line that was lost or changed is accounted for.
import diagnosticsSql from "../../../../../../sql/page/diagnostics.sql?raw";
import { fill, h } from "../core/dom";
import { count } from "../core/format";
import { filled } from "../core/sqltext";
import type { PageState, Step } from "../core/store";
import { type Page, View } from "../core/view";

export class DiagnosticsView extends View {
  readonly id = "diagnostics";
  private readonly list = h("div", { class: "document", tabindex: 0, role: "region", "aria-label": "What was wrong with the trace" });

  constructor(page: Page) {
    super(page, "Diagnostics");
    this.content.append(this.list);
  }

  refresh(_: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture" || (changed && !changed.has("trace"))) return;
    void this.load();
  }

  private async load(): Promise<void> {
    const rows = await this.ask("diagnostics", filled(diagnosticsSql, {}));
    if (!rows) return;
    if (rows.length === 0) {
      fill(this.list, h("p", {}, `Nothing was wrong with ${this.page.trace.name}: every line was understood as it stands.`));
      return;
    }
    const column = (name: string) => rows.column(name);
    const lines = Array.from({ length: rows.length }, (_, row) =>
      h("tr", {}, h("td", {}, h("span", { class: `severity ${column("severity")[row]}` }, column("severity")[row])), h("td", {}, h("code", {}, column("code")[row])),
        h("td", { class: "number" }, count(Number(column("occurrences")[row]))), h("td", { class: "number" }, column("line")[row] === null ? "" : count(Number(column("line")[row]))), h("td", { class: "wrap" }, column("message")[row])));
    const heads = ["Severity", "Code", "Lines", "First line", "Message"].map((head) => h("th", { scope: "col", class: /Lines|First/.test(head) ? "number" : undefined }, head));
    fill(this.list, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...lines)));
  }
}
