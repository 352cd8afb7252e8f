// What was asked so far, to be exported as a file of SQL that replays it.
import { colorComments } from "./colors";
import type { Statement } from "./dialog";

/** Statements that are kept at most, and how many of them become one blob. */
const MOST = 2000;
const TOGETHER = 20;

export class Session {
  /** Older statements. Blobs lie outside of the heap of scripts, which a zoom must not make grow. */
  private readonly older: Blob[] = [];
  private recent: string[] = [];
  private last = "";
  /** The trace that statements are about so far, within those that are not in a blob yet. */
  private trace = "";

  add(trace: string, { title, sql }: Statement): void {
    if (`${trace}\n${sql}` === this.last) return;
    this.last = `${trace}\n${sql}`;
    const use = trace === this.trace ? "" : `USE "${trace.replaceAll('"', '""')}";\n\n`;
    this.trace = trace;
    this.recent.push(`${use}-- ${title.replaceAll("\n", " ")}\n${sql.replace(/;\s*$/, "")};\n\n`);
    if (this.recent.length < TOGETHER) return;
    this.older.push(new Blob(this.recent));
    if (this.older.length > MOST / TOGETHER) this.older.shift();
    this.recent = [];
    this.trace = "";
  }

  /** All statements, with the trace that each is about, after the colors that the user chose. */
  file(): Blob {
    const colors = colorComments();
    return new Blob([colors ? `${colors}\n` : "", ...this.older, ...this.recent]);
  }
}
