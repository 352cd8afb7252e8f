// The findings that cost most, beside all views. They are asked for when the first picture is there, so that it never waits
// for them; a click goes to one.
import { whenCalm } from "./activity";
import { fill, h } from "./dom";
import { type Finding, findingAnswers, findingsStatement, isChosen, readFindings } from "./findings";
import { percent } from "./format";
import type { PageState } from "./store";
import type { Page } from "./view";

/** Findings that are listed; the view has all of them. */
const MOST = 3;

export class FindingList {
  readonly element = h("section", { class: "finding-list", "aria-label": "Findings" });
  private readonly list = h("div", {});
  private readonly all = h("button", { type: "button", class: "quiet", onclick: () => this.page.store.update({ view: "findings" }) }, "All");
  private controller = new AbortController();
  private trace = "";
  private findings: Finding[] | null = null;

  constructor(private readonly page: Page, private readonly goTo: (finding: Finding) => void) {
    this.element.append(h("header", {}, h("h2", {}, "Findings"), h("span", { class: "grow" }), this.all), this.list);
  }

  update(state: PageState): void {
    this.element.hidden = state.view === "findings" || state.side === "findings";
    if (this.trace !== this.page.trace.name) this.begin();
    else if (this.findings) this.draw(this.findings);
  }

  /** Another trace: what is wrong with it is asked as soon as it is drawn. */
  private begin(): void {
    const { name } = this.page.trace;
    this.trace = name;
    this.findings = null;
    this.controller.abort();
    const { signal } = (this.controller = new AbortController());
    this.note("Looking at the whole trace …");
    whenCalm(() => {
      if (!signal.aborted) void this.load(name, signal);
    });
  }

  private async load(trace: string, signal: AbortSignal): Promise<void> {
    const sql = findingsStatement(null);
    try {
      const rows = await findingAnswers.ask(sql, trace, signal);
      this.page.record({ title: "findings", sql, rows });
      this.findings = readFindings(rows);
      this.draw(this.findings);
    } catch (error) {
      if (!signal.aborted) this.note(`Not known: ${(error as Error).message}`);
    }
  }

  private note(text: string): void {
    fill(this.list, h("p", { class: "note" }, text));
  }

  private draw(findings: Finding[]): void {
    if (findings.length === 0) {
      this.note("Nothing that costs 1 % of the time.");
      return;
    }
    const { trace, store } = this.page;
    const items = findings.slice(0, MOST).map((finding) => {
      const current = isChosen(trace, store.state, finding) ? "true" : undefined;
      const parts = [h("span", { class: "share" }, percent(finding.severity)), h("span", { class: "title" }, finding.title)];
      return h("li", {}, h("button", { type: "button", class: "finding", "aria-current": current, title: finding.title, onclick: () => this.goTo(finding) }, ...parts));
    });
    fill(this.list, h("ul", {}, ...items));
    this.all.textContent = findings.length > MOST ? `All ${findings.length}` : "All";
  }
}
