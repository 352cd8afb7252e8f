// The queries of sql/page with their parameters filled in, so that what is shown is what was asked.
//
// A parameter is :name. A number, a text, a list of either, or a Fragment (SQL that another query of ours became) takes its
// place. The head of a file, its comment, stays.

/** SQL that stands for itself. */
export class Fragment {
  constructor(readonly sql: string) {}
}

export type Parameter = number | string | boolean | null | Fragment | readonly number[] | readonly string[];

/** A literal of SQL. */
export function literal(value: Parameter): string {
  if (value instanceof Fragment) return value.sql;
  if (value === null) return "NULL";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "NULL";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return value.length === 0 ? "(NULL)" : `(${value.map((part) => literal(part)).join(", ")})`;
}

/** A query with its parameters. */
export function filled(text: string, parameters: Record<string, Parameter>): string {
  const sql = text.replace(/(^|[^:\w]):([a-z_]+)/g, (whole, before: string, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : before + literal(value);
  });
  return sql.trim();
}

/** Without the comment at its head, for use within another query. */
export function body(text: string): string {
  return text.replace(/^(--[^\n]*\n)+/, "").trim().replace(/;$/, "");
}
