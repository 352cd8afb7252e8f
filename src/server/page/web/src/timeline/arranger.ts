// What must be asked before rows can be laid out as the user wants them: what they are sorted by, and the rows that SQL of
// the user's own adds.
import { type Arrangement, arrangementOf, orderStatement, readOrder } from "../core/arrangement";
import type { Rows } from "../core/api";
import type { PageState } from "../core/store";
import type { Page } from "../core/view";
import { isAllowed, type QueryGroup, readGroup } from "./query";

/** What the timeline lets it use. */
export interface Asking {
  ask(layer: string, sql: string): Promise<Rows | null>;
  withdraw(layer: string): void;
  fail(layer: string, error: unknown): void;
  /** Rows are to be laid out anew. */
  changed(): void;
}

const ORDER = "order of rows";
export const GROUP = "SQL rows";
const GROUP_LAYERS = ["columns of the SQL rows", "containers of the SQL rows", GROUP];

export class Arranger {
  /** The rows of SQL, once their containers are known. */
  group: QueryGroup | null = null;
  /** What siblings are sorted by, once it was answered, and for which trace and sort. */
  private order: { key: string; numbers: Map<number, number> } | null = null;

  constructor(private readonly page: Page, private readonly timeline: Asking) {}

  /** How rows are to be laid out, as far as it is known. */
  arrangement(state: PageState): Arrangement {
    const numbers = this.order?.key === orderKey(state) ? this.order.numbers : null;
    return arrangementOf(state, numbers, this.group?.containers ?? []);
  }

  /** Whether SQL that came with a link waits for the user. */
  isWaiting(state: PageState): boolean {
    return state.rows !== "" && !isAllowed(state.rows);
  }

  /** Asks for what is missing; the group of another statement or trace is gone at once. */
  update(state: PageState): void {
    const isGroup = this.group?.sql === state.rows && this.group.trace === state.trace;
    if (!isGroup) {
      this.group = null;
      for (const layer of GROUP_LAYERS) this.timeline.withdraw(layer);
      if (state.rows !== "" && isAllowed(state.rows)) void this.loadGroup(state);
    }
    if (this.order?.key !== orderKey(state)) {
      this.timeline.withdraw(ORDER);
      void this.loadOrder(state);
    }
  }

  private async loadOrder(state: PageState): Promise<void> {
    const sql = orderStatement(this.page.trace, state.sort);
    const rows = sql && (await this.timeline.ask(ORDER, sql));
    if (!rows) return;
    this.order = { key: orderKey(state), numbers: readOrder(rows) };
    this.timeline.changed();
  }

  private async loadGroup(state: PageState): Promise<void> {
    try {
      this.group = await readGroup(state.rows, this.page.trace, (layer, sql) => this.timeline.ask(layer, sql));
    } catch (error) {
      this.timeline.fail(GROUP, error);
    }
    if (this.group) this.timeline.changed();
  }
}

function orderKey(state: PageState): string {
  return `${state.trace}\u0000${state.sort}`;
}
