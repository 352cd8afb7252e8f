// Questions that are asked before whoever needs their answers is there, and answers that came with the page.
import containersSql from "../../../../../../sql/page/containers.sql?raw";
import seriesSql from "../../../../../../sql/page/series.sql?raw";
import traceSql from "../../../../../../sql/page/trace.sql?raw";
import valuesSql from "../../../../../../sql/page/values.sql?raw";
import type { TraceEntry } from "./api";

/** What the page knows of a trace before it draws. */
export const TRACE_SQL = [traceSql, containersSql, seriesSql, valuesSql].map((sql) => sql.trim());

/** How rows are asked for: texts that come again, such as names of values, are sent once. */
export const ROWS = { "content-type": "text/plain", accept: "application/vnd.apache.arrow.stream", "x-ocellus-text": "dictionary" };

/** What the names of this page's queries have in common. It is made at once: the first random numbers take a while. */
const prefix = `page-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
let names = 0;

/** A name for a query, under which the server says how far it is. */
export function newName(): string {
  return `${prefix}-${++names}`;
}

/** Asks a statement; what is given says how. */
export function ask(sql: string, trace: string, request: RequestInit): Promise<Response> {
  return fetch(`sql?trace=${encodeURIComponent(trace)}`, { method: "POST", body: sql, credentials: "same-origin", ...request });
}

/** Asks for the list of traces. */
export function askTraces(signal?: AbortSignal): Promise<Response> {
  return fetch("traces", { credentials: "same-origin", signal });
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
export function keyOf(sql: string, trace: string): string {
  return `${trace}\n${sql}`;
}

/** The key of the list of traces. */
export const TRACES = "traces";

function keep(key: string, name: string, request: (signal: AbortSignal) => Promise<Response>): void {
  const controller = new AbortController();
  const answer = request(controller.signal);
  // Whoever takes it sees the error.
  answer.catch(() => null);
  early.get(key)?.controller.abort();
  early.set(key, { answer, name, controller });
}

/** Asks a statement whose answer will be wanted soon. */
export function askEarly(sql: string, trace: string): void {
  const name = newName();
  keep(keyOf(sql, trace), name, (signal) => ask(sql, trace, { headers: { ...ROWS, "x-ocellus-query": name }, signal }));
}

/** What was asked early, if it was. */
export function findEarly(key: string): Early | null {
  return early.get(key) ?? null;
}

/** The same for whoever needs its answer: nobody else finds it from then on. */
export function takeEarly(key: string): Early | null {
  const found = findEarly(key);
  early.delete(key);
  return found;
}

/** Cancels what was asked early and not taken. */
export function dropEarly(): void {
  for (const { controller } of early.values()) controller.abort();
  early.clear();
}

/** Answers at the end of the page: the list of traces, and by their statements, streams of Arrow in base64. */
interface PageAnswers {
  traces: TraceEntry[] | null;
  answers: Record<string, string>;
}

/** The trace whose answers came with the page; null where they are of no use. */
let served: string | null = null;
/** Null where the server could not answer, or the connection broke. */
let answers: Promise<PageAnswers | null> = Promise.resolve(null);

/** Lets what must be known of a trace be taken from the end of the page, which may not be there yet. */
export function waitForPage(trace: string): void {
  served = trace;
  const whole = new Promise<void>((go) => (document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", () => go(), { once: true }) : go()));
  answers = whole.then(() => JSON.parse(document.querySelector<HTMLTemplateElement>("template#answers")!.content.textContent!)).catch(() => null);
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The rows of a statement that came with the page, once; null where it has to be asked. */
export async function takeRows(sql: string, trace: string): Promise<Uint8Array | null> {
  const found = trace === served ? await answers : null;
  const stream = found?.answers[sql];
  if (!found || stream === undefined) return null;
  delete found.answers[sql];
  return bytesOf(stream);
}

/** The list of traces that came with the page, once; null where it has to be asked for. */
export async function takeTraces(): Promise<TraceEntry[] | null> {
  const found = await answers;
  const list = found?.traces ?? null;
  if (found) found.traces = null;
  return list;
}

/** Asks what must be known of a trace; of none, for the list of traces alone. */
export function askFirst(trace: string | null): void {
  if (trace !== null) for (const sql of TRACE_SQL) askEarly(sql, trace);
  keep(TRACES, "", askTraces);
}
