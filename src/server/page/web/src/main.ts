// Where the page begins: finds the traces of the server, opens one, and builds the frame around its views.
import "./style.css";
import { App } from "./app";
import { begin, first, named, root } from "./begin";
import { traces } from "./core/api";
import { fill, h } from "./core/dom";
import { dropEarly } from "./core/early";

async function start(): Promise<void> {
  // A trace that is known by its name is read while the list of traces is.
  const entries = await traces();
  if (entries.length === 0) {
    fill(root, h("main", { class: "boot" }, h("h1", {}, "Ocellus"), h("p", {}, "The store is empty. Import a trace: ocellus import TRACE --store STORE")));
    return;
  }
  const entry = entries.find((entry) => entry.name === named) ?? entries[0];
  const app = new App(entries, (entry.name === named && (await first)) || (await begin(entry.name)));
  fill(root, app.element);
  app.begin();
  // What the page, now that it is laid out, asks otherwise than was expected.
  dropEarly();
}

start().catch((error: Error) => {
  fill(root, h("main", { class: "boot" }, h("h1", {}, "Ocellus"), h("p", { class: "message error" }, `The server does not answer: ${error.message}`)));
});
