// What is asked before the page itself is there: the list of traces, and what must be known of the trace that the address names.
// This file is small and runs first, so the server answers while the browser reads the rest.
import containersSql from "../../../../../sql/page/containers.sql?raw";
import seriesSql from "../../../../../sql/page/series.sql?raw";
import traceSql from "../../../../../sql/page/trace.sql?raw";
import valuesSql from "../../../../../sql/page/values.sql?raw";

/** What the page knows of a trace before it draws. */
export const TRACE_SQL = [traceSql, containersSql, seriesSql, valuesSql].map((sql) => sql.trim());

/** How rows are asked for: texts that come again, such as names of values, are sent once. */
export const ROWS = { "content-type": "text/plain", accept: "application/vnd.apache.arrow.stream", "x-ocellus-text": "dictionary" };

/** The version of addresses. */
export const VERSION = "1";

/** The trace that an address names. */
export function traceOfAddress(hash: string): string | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  return parts.get("v") === VERSION ? parts.get("trace") : null;
}

/** Asks a statement; what is given says how. */
export function ask(sql: string, trace: string, request: RequestInit): Promise<Response> {
  return fetch(`sql?trace=${encodeURIComponent(trace)}`, { method: "POST", body: sql, credentials: "same-origin", ...request });
}

const early = new Map<string, Promise<Response>>();

/** The answer to what was asked early; only once. */
export function takeEarly(key: string): Promise<Response> | null {
  const found = early.get(key) ?? null;
  early.delete(key);
  return found;
}

function keep(key: string, answer: Promise<Response>): void {
  // Whoever takes it sees the error.
  answer.catch(() => null);
  early.set(key, answer);
}

/** What an early answer is found by. */
export function keyOf(sql: string, trace: string): string {
  return `${trace}\n${sql}`;
}

/** The key of the list of traces. */
export const TRACES = "traces";

keep(TRACES, fetch(TRACES, { credentials: "same-origin" }));
const named = traceOfAddress(location.hash);
if (named !== null) for (const sql of TRACE_SQL) keep(keyOf(sql, named), ask(sql, named, { headers: ROWS }));
