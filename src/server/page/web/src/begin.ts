// What is asked before the page itself is there: the list of traces, and what must be known of the trace that the address names.
// This is a script of its own, the first that the page loads, so the server answers while the browser fetches the rest.
// What the page needs of it is in `first`.
import containersSql from "../../../../../sql/page/containers.sql?raw";
import seriesSql from "../../../../../sql/page/series.sql?raw";
import traceSql from "../../../../../sql/page/trace.sql?raw";
import valuesSql from "../../../../../sql/page/values.sql?raw";

/** What the page knows of a trace before it draws. */
const TRACE_SQL = [traceSql, containersSql, seriesSql, valuesSql].map((sql) => sql.trim());

/** How rows are asked for: texts that come again, such as names of values, are sent once. */
const ROWS = { "content-type": "text/plain", accept: "application/vnd.apache.arrow.stream", "x-ocellus-text": "dictionary" };

/** The version of addresses. */
const VERSION = "1";

/** The trace that an address names. */
function traceOfAddress(hash: string): string | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  return parts.get("v") === VERSION ? parts.get("trace") : null;
}

/** A name for a query, under which the server says how far it is. */
function newName(): string {
  return `page-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
}

/** Asks a statement; what is given says how. */
function ask(sql: string, trace: string, request: RequestInit): Promise<Response> {
  return fetch(`sql?trace=${encodeURIComponent(trace)}`, { method: "POST", body: sql, credentials: "same-origin", ...request });
}

/** A question that was asked before whoever needs its answer is there. */
interface Early {
  answer: Promise<Response>;
  /** Its name as a query. */
  name: string;
  controller: AbortController;
}

const early = new Map<string, Early>();

/** What an early answer is found by: the very text of the statement. */
function keyOf(sql: string, trace: string): string {
  return `${trace}\n${sql}`;
}

function keep(key: string, name: string, request: (signal: AbortSignal) => Promise<Response>): void {
  const controller = new AbortController();
  const answer = request(controller.signal);
  // Whoever takes it sees the error.
  answer.catch(() => null);
  early.get(key)?.controller.abort();
  early.set(key, { answer, name, controller });
}

/** Asks a statement whose answer will be wanted soon. */
function askEarly(sql: string, trace: string): void {
  const name = newName();
  keep(keyOf(sql, trace), name, (signal) => ask(sql, trace, { headers: { ...ROWS, "x-ocellus-query": name }, signal }));
}

/** What was asked early, if it was. */
function findEarly(key: string): Early | null {
  return early.get(key) ?? null;
}

/** The same for whoever needs its answer: nobody else finds it from then on. */
function takeEarly(key: string): Early | null {
  const found = findEarly(key);
  early.delete(key);
  return found;
}

/** Cancels what was asked early and not taken. */
function dropEarly(): void {
  for (const { controller } of early.values()) controller.abort();
  early.clear();
}

/** The key of the list of traces. */
const TRACES = "traces";

const named = traceOfAddress(location.hash);
if (named !== null) for (const sql of TRACE_SQL) askEarly(sql, named);
keep(TRACES, "", (signal) => fetch(TRACES, { credentials: "same-origin", signal }));

const begun = { TRACE_SQL, ROWS, VERSION, TRACES, traceOfAddress, newName, ask, keyOf, askEarly, findEarly, takeEarly, dropEarly };
export type Begun = typeof begun;
(globalThis as unknown as { ocellus: Begun }).ocellus = begun;
