// Dialogs over the page: the statement behind a picture, its table, the keys.
import { file, type Rows } from "./api";
import { download, h } from "./dom";
import { count } from "./format";
import { Grid } from "./grid";

/** Opens a dialog that Escape closes; focus goes back to where it was. */
export function openDialog(title: string, content: Node, actions: Node[] = []): HTMLDialogElement {
  const close = h("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, "Close");
  const heading = h("h2", { id: "dialog-title" }, title);
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, h("header", {}, heading, h("span", { class: "grow" }), ...actions, close), content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.showModal();
  return dialog;
}

/** A statement behind a picture, with the rows that it gave. */
export interface Statement {
  title: string;
  sql: string;
  rows: Rows | null;
}

/** Shows the statements of a view: as they were sent, so that `ocellus sql` gives the same rows. */
export function showSql(title: string, trace: string, statements: Statement[], openInEditor: (sql: string) => void): void {
  const content = h("div", { class: "statements" });
  for (const statement of statements) {
    const copy = h("button", { type: "button", onclick: () => void navigator.clipboard?.writeText(statement.sql) }, "Copy");
    const edit = h("button", { type: "button", onclick: () => (dialog.close(), openInEditor(statement.sql)) }, "Open in SQL");
    const csv = h("button", { type: "button", onclick: () => void save(statement.sql, trace, "csv") }, "CSV");
    const arrow = h("button", { type: "button", onclick: () => void save(statement.sql, trace, "arrow") }, "Arrow");
    const rows = statement.rows ? `${count(statement.rows.length)} rows` : "";
    content.append(
      h("section", {}, h("div", { class: "bar" }, h("h3", {}, statement.title), h("span", { class: "note grow" }, rows), copy, edit, csv, arrow), h("pre", { tabindex: 0 }, statement.sql)),
    );
  }
  if (statements.length === 0) content.append(h("p", {}, "This view has asked nothing yet."));
  const all = statements.map((statement) => `-- ${statement.title}\n${statement.sql};\n`).join("\n");
  const exportAll = h("button", { type: "button", onclick: () => download(`${trace}.sql`, all, "application/sql") }, "Save .sql");
  const dialog = openDialog(`SQL of ${title}`, content, [exportAll]);
}

/** Shows the rows behind a picture as tables. */
export function showTables(title: string, statements: Statement[]): void {
  const content = h("div", { class: "statements" });
  for (const statement of statements) {
    if (!statement.rows) continue;
    const grid = new Grid(statement.title);
    grid.show(statement.rows);
    content.append(h("section", {}, h("h3", {}, statement.title), grid.element));
  }
  if (!content.firstChild) content.append(h("p", {}, "There are no rows yet."));
  openDialog(`Table of ${title}`, content);
}

/** Asks again and saves the rows as a file. */
export async function save(sql: string, trace: string, format: "csv" | "arrow"): Promise<void> {
  const blob = await file(sql, trace, format);
  download(`${trace}.${format === "csv" ? "csv" : "arrows"}`, blob, blob.type);
}
