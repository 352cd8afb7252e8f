// What is wrong with the run, ranked: what, where, when, how much it costs. A click goes to a finding in all views; its
// evidence is a query, its picture a command.
import type { Rows } from "../core/api";
import { fill, h, style } from "../core/dom";
import { type Finding, findingAnswers, findingsStatement, isChosen, readFindings } from "../core/findings";
import { duration, instant, percent } from "../core/format";
import type { PageState, Step } from "../core/store";
import { type Page, View } from "../core/view";

export class FindingsView extends View {
  readonly id = "findings";
  private readonly about = h("p", { class: "note" });
  private readonly list = h("div", {});
  private readonly closer = h("button", { type: "button", class: "toggle", title: "Looks closer: at the window as it is now", onclick: () => this.toggleWindow() });
  private findings: Finding[] | null = null;
  private shownTrace = "";

  constructor(page: Page, private readonly goTo: (finding: Finding) => void) {
    super(page, "Findings");
    this.tools.append(this.closer);
    this.content.append(h("div", { class: "document finding-room", tabindex: 0, role: "region", "aria-label": "What is wrong with the run" }, this.about, this.list));
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  refresh(state: PageState, changed: Set<keyof PageState> | null, step: Step): void {
    if (step === "gesture") return;
    const window = chosenWindow(state);
    this.closer.setAttribute("aria-pressed", String(window !== null));
    this.closer.textContent = window ? `Only ${interval(window[0], window[1])}` : "Look at this window only";
    if (!changed || changed.has("trace") || changed.has("options")) void this.load(window);
    else if (changed.has("selection")) this.mark();
  }

  protected override answer(sql: string, trace: string, signal: AbortSignal, name: string): Promise<Rows> {
    return findingAnswers.ask(sql, trace, signal, name);
  }

  /** Looks at the window as it is now, or at the whole trace again. */
  private toggleWindow(): void {
    const { start, stop, options } = this.page.store.state;
    const { findings, ...others } = options;
    this.page.store.update({ options: findings ? others : { ...others, findings: `${start},${stop}` } });
  }

  private async load(window: [number, number] | null): Promise<void> {
    const sql = findingsStatement(window);
    if (this.findings && this.statements.get("findings")?.sql === sql && this.shownTrace === this.page.trace.name) {
      this.mark();
      return;
    }
    // What was found elsewhere would lead astray.
    if (this.shownTrace !== this.page.trace.name) this.show(null, null);
    this.shownTrace = this.page.trace.name;
    const rows = await this.ask("findings", sql);
    if (rows) this.show(readFindings(rows), window);
  }

  /** Shows what was found in a window; null while that is not known. */
  private show(findings: Finding[] | null, window: [number, number] | null): void {
    const { trace } = this.page;
    this.findings = findings;
    const where = window ? interval(window[0], window[1]) : "the whole trace";
    if (!findings || findings.length === 0) {
      this.about.textContent = "";
      fill(this.list);
      if (!findings) return;
      const hasRows = trace.counts.states + trace.counts.variables + trace.counts.links > 0;
      this.say(hasRows ? `Nothing stands out in ${where}: nothing costs 1 % of the time of all containers or more.` : `The trace ${trace.name} has no states, variables or links to look at.`);
      return;
    }
    this.about.textContent = `In ${where}. Severity is the share of the time of all containers that would be recovered, as far as it can be known.`;
    const most = findings[0].severity;
    const heads: [string, string?][] = [["#", "number"], ["Finding"], ["Severity", "number"], ["", "bar-cell"], ["Time", "number"], ["Container"], ["From – to"], ["Confidence", "number sure"], [""]];
    const head = h("tr", {}, ...heads.map(([text, name]) => (text === "" ? h("td", { class: name }) : h("th", { scope: "col", class: name }, text))));
    fill(this.list, h("table", { class: "plain findings" }, h("thead", {}, head), h("tbody", {}, ...findings.map((finding) => this.line(finding, most)))));
    this.mark();
  }

  private line(finding: Finding, most: number): HTMLElement {
    const { trace } = this.page;
    const label = (text: string) => `${text} of finding ${finding.rank}`;
    const title = h("button", { type: "button", class: "finding", title: "Go there: selects its time, containers and values", onclick: () => this.goTo(finding) }, h("span", { class: "title" }, finding.title));
    const evidence = h("button", { type: "button", class: "quiet", "aria-label": label("Evidence"), title: "The query that proves it, in SQL", onclick: () => this.page.edit(finding.evidence) }, "Evidence");
    const picture = h("button", { type: "button", class: "quiet", "aria-label": label("Command"), title: `Copies a command that draws it: ${finding.picture}`, onclick: () => void this.copy(finding.picture) }, "Command");
    const fill = style(h("i", { class: "bar-fill" }), { width: `${Math.max(0.5, (finding.severity / most) * 100)}%`, "background-color": this.page.theme("--accent") });
    const path = finding.container === null ? "" : (trace.byId.get(finding.container)?.path ?? "");
    return h("tr", {},
      h("td", { class: "number" }, finding.rank), h("th", { scope: "row", class: "what" }, title, h("span", { class: "note kind" }, finding.kind.replaceAll("_", " "))),
      h("td", { class: "number" }, percent(finding.severity)), h("td", { class: "bar-cell" }, fill), h("td", { class: "number" }, duration(finding.seconds)),
      h("td", { class: "where", title: path }, finding.name || "all"), h("td", { class: "when" }, interval(finding.start, finding.stop)), h("td", { class: "number sure" }, percent(finding.confidence)),
      h("td", { class: "actions" }, evidence, picture));
  }

  private async copy(command: string): Promise<void> {
    await navigator.clipboard?.writeText(command).catch(() => {});
    this.page.say(`Copied: ${command}`);
  }

  /** Marks the finding that is selected. */
  private mark(): void {
    const { trace, store } = this.page;
    this.list.querySelectorAll("tbody tr").forEach((line, at) => {
      const chosen = isChosen(trace, store.state, this.findings![at]);
      line.classList.toggle("selected", chosen);
      line.querySelector(".finding")?.setAttribute("aria-current", String(chosen));
    });
  }

  /** Up and down walk through the findings. */
  private key(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const buttons = [...this.list.querySelectorAll<HTMLElement>("button.finding")];
    const at = buttons.indexOf(event.target as HTMLElement);
    if (step === 0 || at < 0) return;
    event.preventDefault();
    buttons[Math.min(buttons.length - 1, Math.max(0, at + step))].focus();
  }
}

/** The window that the address says to look at; null means the whole trace. */
function chosenWindow(state: PageState): [number, number] | null {
  const [start, stop] = (state.options.findings ?? "").split(",").map(Number);
  return Number.isFinite(start) && Number.isFinite(stop) && stop > start ? [start, stop] : null;
}

function interval(start: number, stop: number): string {
  const step = (stop - start) / 1000 || 1e-9;
  return `${instant(start, step)} – ${instant(stop, step)} s`;
}
