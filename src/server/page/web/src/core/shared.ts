// Answers that several parts of the page wait for: asked once, kept, and stopped when nobody waits any longer.
import { query, type Rows } from "./api";

/** Answers that are kept. */
const MOST = 16;

interface Asked {
  rows: Promise<Rows>;
  controller: AbortController;
  waiting: number;
  isDone: boolean;
}

export class SharedAnswers {
  private readonly asked = new Map<string, Asked>();

  /** The rows of a statement; whoever aborts leaves, and the last who leaves stops the question. */
  ask(sql: string, trace: string, signal: AbortSignal, name?: string): Promise<Rows> {
    const key = `${trace}\n${sql}`;
    const asked = this.asked.get(key) ?? this.begin(key, sql, trace, name);
    asked.waiting++;
    return new Promise<Rows>((resolve, reject) => {
      const leave = () => {
        asked.waiting--;
        if (asked.waiting === 0 && !asked.isDone) {
          this.asked.delete(key);
          asked.controller.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      asked.rows.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    });
  }

  private begin(key: string, sql: string, trace: string, name?: string): Asked {
    const controller = new AbortController();
    const asked: Asked = { rows: query(sql, trace, controller.signal, false, name), controller, waiting: 0, isDone: false };
    this.asked.set(key, asked);
    const [oldest] = this.asked.keys();
    if (this.asked.size > MOST && this.asked.get(oldest)!.isDone) this.asked.delete(oldest);
    asked.rows.then(() => (asked.isDone = true), () => this.forget(key, asked));
    return asked;
  }

  /** What failed is asked anew the next time. */
  private forget(key: string, asked: Asked): void {
    if (this.asked.get(key) === asked) this.asked.delete(key);
  }
}
