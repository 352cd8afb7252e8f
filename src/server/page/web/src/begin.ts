// What is done before the page itself is there: the trace is read, and its first picture asked for. This is a script of its own,
// the first that the page loads and much smaller than the rest, so the server works while the browser reads that.
//
// What must be known of the trace comes with the page where its address tells the server the trace, and is asked for otherwise.
import { fill, h } from "./core/dom";
import { askFirst, waitForPage } from "./core/early";
import { VERSION } from "./core/store";
import { loadTrace, type TraceInfo } from "./core/trace";
import { askAhead } from "./timeline/ahead";
import { expectedRoom } from "./timeline/room";

/** The trace that an address names. */
function traceOfAddress(hash: string): string | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  return parts.get("v") === VERSION ? parts.get("trace") : null;
}

/** Rooms are measured by the styles; this script, and what uses it, do not wait for the end of the page, so neither for these. */
async function styled(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]");
  if (!link || link.sheet || document.readyState === "complete") return;
  // Without styles the page is there as well, though not as it should look.
  await new Promise((go) => [link, window].forEach((target) => ["load", "error"].forEach((event) => target.addEventListener(event, go, { once: true }))));
}

/** Milliseconds after which it is said that the page is loading: most often it is there before. */
const PATIENCE = 500;

/** Where the page is going to be. */
export const root = document.getElementById("app")!;

setTimeout(() => root.hasChildNodes() || fill(root, h("p", { class: "boot", role: "status" }, "Ocellus is loading…")), PATIENCE);

/** The trace whose answers come with the page, if the server sends any. */
const served = root.dataset.trace || null;

/** The trace that the page begins with, as far as it is known without the list of all. */
export const named = traceOfAddress(location.hash) ?? served;

if (named !== null && named === served) waitForPage(named);
else askFirst(named);

const room = styled().then(expectedRoom);

/** Reads a trace, and asks for its first picture as soon as it is known what of it is shown. */
export function begin(trace: string): Promise<TraceInfo> {
  return loadTrace(trace, (shape) => room.then((room) => askAhead(shape, room)));
}

/** The trace of the address or of the server; null where it could not be read. */
export const first: Promise<TraceInfo | null> | null = named === null ? null : begin(named).catch(() => null);
