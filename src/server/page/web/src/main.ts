// Where the page begins: finds the traces of the server, opens one, and builds the frame around its views.
import "./style.css";
import { App } from "./app";
import { traces } from "./core/api";
import { dropEarly, traceOfAddress } from "./first";
import { fill, h } from "./core/dom";
import { loadTrace } from "./core/trace";
import { askAhead } from "./timeline/ahead";
import { expectedRoom } from "./timeline/room";

const root = document.getElementById("app")!;

async function start(): Promise<void> {
  const named = traceOfAddress(location.hash);
  const room = expectedRoom();
  const load = (name: string) => loadTrace(name, (shape) => askAhead(shape, room));
  // A trace that the address names is read while the list of traces is.
  const early = named === null ? null : load(named).catch(() => null);
  const entries = await traces();
  if (entries.length === 0) {
    fill(root, h("main", { class: "boot" }, h("h1", {}, "Ocellus"), h("p", {}, "The store is empty. Import a trace: ocellus import TRACE --store STORE")));
    return;
  }
  const entry = entries.find((entry) => entry.name === named) ?? entries[0];
  const app = new App(entries, (entry.name === named && (await early)) || (await load(entry.name)));
  fill(root, app.element);
  app.begin();
  // What the page, now that it is laid out, asks otherwise than was expected.
  dropEarly();
}

start().catch((error: Error) => {
  fill(root, h("main", { class: "boot" }, h("h1", {}, "Ocellus"), h("p", { class: "message error" }, `The server does not answer: ${error.message}`)));
});
