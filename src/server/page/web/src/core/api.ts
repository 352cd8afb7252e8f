// Questions to the server: SQL in, columns of an Arrow stream out, errors with their place.
import { tableFromIPC, type Table } from "@uwdata/flechette";
import { begin } from "./activity";
import { ask, askTraces, findEarly, keyOf, newName, ROWS, takeEarly, takeRows, takeTraces, TRACES } from "./early";
import { type Codes, codesOf, wholeNumbers } from "./vectors";

/** What the server says when a query or a request fails. */
export class QueryError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly kind: string,
    readonly line: number | null,
    readonly column: number | null,
    readonly hint: string | null,
  ) {
    super(message);
  }
}

/** The columns of a result. */
export class Rows {
  private readonly columns = new Map<string, ArrayLike<any>>();
  readonly names: string[];
  readonly types: string[];
  readonly length: number;

  /** Whole numbers of 64 bits are bigint where they are wanted exactly. */
  constructor(private readonly table: Table, private readonly isExact = false) {
    this.names = table.schema.fields.map((field) => field.name);
    this.types = table.schema.fields.map((field) => typeName(field.type));
    this.length = table.numRows;
  }

  column(name: string): ArrayLike<any> {
    let values = this.columns.get(name);
    if (!values) {
      const column = this.child(name);
      values = (!this.isExact && wholeNumbers(column)) || (column.toArray() as ArrayLike<any>);
      this.columns.set(name, values);
    }
    return values;
  }

  private child(name: string) {
    const column = this.table.getChild(name);
    if (!column) throw new Error(`the result has no column ${name}`);
    return column;
  }

  /** Texts as places in a list: for many rows. */
  codes(name: string): Codes {
    return codesOf(this.child(name));
  }

  numbers(name: string): ArrayLike<number> {
    return this.column(name) as ArrayLike<number>;
  }

  texts(name: string): ArrayLike<string> {
    return this.column(name) as ArrayLike<string>;
  }

  at(place: number): unknown[] {
    return this.names.map((_, column) => this.table.getChildAt(column)?.at(place));
  }
}

const KINDS = ["", "null", "integer", "float", "bytes", "text", "boolean", "decimal", "date", "time", "timestamp", "interval", "list", "struct"];

function typeName(type: any): string {
  if (type.typeId < 0) return typeName(type.dictionary ?? { typeId: 5 });
  return KINDS[type.typeId] ?? (type.typeId === 20 || type.typeId === 24 ? "text" : "other");
}

let requests = 0;

/** How many queries were sent so far. */
export function requestCount(): number {
  return requests;
}

async function failure(response: Response): Promise<QueryError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text);
    return new QueryError(body.message, body.code, body.kind, body.line ?? null, body.column ?? null, body.hint ?? null);
  } catch {
    return new QueryError(text || response.statusText, String(response.status), "http", null, null, null);
  }
}

async function post(sql: string, trace: string, headers: Record<string, string>, signal?: AbortSignal, early: Promise<Response> | null = null): Promise<Response> {
  requests++;
  const response = await (early ?? ask(sql, trace, { headers, signal }));
  return checked(response);
}

/** An answer that is no failure; who must log in first goes there, and comes back. */
async function checked(response: Response): Promise<Response> {
  if (response.status === 401) {
    location.assign(`login?next=${encodeURIComponent("/" + location.search + location.hash)}`);
    // The page is about to leave: nobody is told of an error.
    await new Promise(() => {});
  }
  if (!response.ok) throw await failure(response);
  return response;
}

/** The answer to a statement that was asked early; it ends with the signal of whoever takes it. */
function takeAnswer(sql: string, trace: string, signal?: AbortSignal): Promise<Response> | null {
  const early = takeEarly(keyOf(sql, trace));
  if (early) signal?.addEventListener("abort", () => early.controller.abort(), { once: true });
  return early && early.answer;
}

/** The name of the query that asks a statement: its own if it was asked early, otherwise a new one. */
export function nameOf(sql: string, trace: string): string {
  return findEarly(keyOf(sql, trace))?.name ?? newName();
}

/** Runs a query. Integers of 64 bits are numbers, or with exact integers, bigint. */
export async function query(sql: string, trace: string, signal?: AbortSignal, exact = false, name?: string): Promise<Rows> {
  const end = begin();
  try {
    const headers = name ? { ...ROWS, "x-ocellus-query": name } : ROWS;
    // An early answer is taken at once: what nobody has taken is canceled.
    const early = takeAnswer(sql, trace, signal);
    const came = early ? null : await takeRows(sql, trace);
    const bytes = came ?? new Uint8Array(await (await post(sql, trace, headers, signal, early)).arrayBuffer());
    return new Rows(tableFromIPC(bytes, { useBigInt: exact, useDate: true, useProxy: false }), exact);
  } finally {
    end("soon");
  }
}

/** Runs a query and gives its rows as a file. */
export async function file(sql: string, trace: string, format: "csv" | "arrow"): Promise<Blob> {
  const response = await post(sql, trace, { "content-type": "text/plain", accept: format === "csv" ? "text/csv" : ROWS.accept });
  return response.blob();
}

export interface TraceEntry {
  name: string;
  format: string;
  start_time: number | null;
  end_time: number | null;
  origin: string | null;
  rows: Record<string, number>;
}

/** The traces of the store. */
export async function traces(): Promise<TraceEntry[]> {
  const came = await takeTraces();
  if (came) return came;
  const response = await checked(await (takeEarly(TRACES)?.answer ?? askTraces()));
  return response.json();
}

/** JSON of another path, or null where the server does not have it. */
export async function optional<T>(path: string, signal?: AbortSignal): Promise<T | null> {
  const response = await fetch(path, { credentials: "same-origin", signal });
  if (response.status === 404 || response.status === 405) return null;
  if (!response.ok) throw await failure(response);
  return response.json();
}
