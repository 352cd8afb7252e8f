// Rows with their exact amounts. The picture needs pixels alone, of all rows; what the pointer or the cursor tells is asked for
// the row that it is on, in the columns of the picture.
import { type Row, rowKey } from "../core/tree";
import type { StateColumns } from "./data";

/** Rows that are kept: those that were pointed at last. */
const MOST_ROWS = 16;

export class ExactRows {
  private readonly rows = new Map<string, StateColumns>();

  /** What is known of a row in the columns of a picture; its own amounts where it has them. */
  of(row: Row, picture: StateColumns): StateColumns | null {
    if (picture.amounts) return picture;
    const found = this.rows.get(rowKey(row.container.id, row.kind, row.type));
    return found && found.columns === picture.columns ? found : null;
  }

  keep(row: Row, data: StateColumns): void {
    const key = rowKey(row.container.id, row.kind, row.type);
    this.rows.delete(key);
    this.rows.set(key, data);
    const [oldest] = this.rows.keys();
    if (this.rows.size > MOST_ROWS) this.rows.delete(oldest);
  }

  clear(): void {
    this.rows.clear();
  }
}
