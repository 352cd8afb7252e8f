// What was asked so far, to be exported as a file of SQL that replays it.
import { colorComments } from "./colors";
import type { Statement } from "./dialog";

const MOST = 2000;

export class Session {
  private readonly statements: { trace: string; title: string; sql: string }[] = [];

  add(trace: string, { title, sql }: Statement): void {
    const last = this.statements[this.statements.length - 1];
    if (last?.sql === sql && last.trace === trace) return;
    this.statements.push({ trace, title, sql });
    if (this.statements.length > MOST) this.statements.shift();
  }

  /** All statements, with the trace that each is about, after the colors that the user chose. */
  text(): string {
    let trace = "";
    const parts = this.statements.map((statement) => {
      const use = statement.trace === trace ? "" : `USE "${statement.trace.replaceAll('"', '""')}";\n\n`;
      trace = statement.trace;
      return `${use}-- ${statement.title.replaceAll("\n", " ")}\n${statement.sql.replace(/;\s*$/, "")};\n`;
    });
    const colors = colorComments();
    return (colors ? `${colors}\n` : "") + parts.join("\n");
  }
}
