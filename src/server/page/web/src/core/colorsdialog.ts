// The palette: a field of color for each value, what the user chose kept in the browser, as a file, and back.
import { hex, parseColor } from "./color";
import { chooseColor, chosenColor, colorsAsJson, forgetColors, takeColors } from "./colors";
import { openDialog } from "./dialog";
import { download, fill, h } from "./dom";
import { colorOf } from "./trace";
import type { Page } from "./view";

/** Values that the list shows at most: those with most time. */
const MOST = 60;

export function editColors(page: Page, changed: () => void): void {
  const { trace } = page;
  const list = h("ul", { class: "colors" });
  const said = h("p", { class: "note", role: "status" }, "Colors count in every trace, stay in this browser, and are part of the exported session.");
  const tell = (text: string) => {
    said.textContent = text;
    draw();
    changed();
  };
  const draw = () => {
    const names = [...new Set([...trace.shown, ...trace.values.map((value) => value.name)])].slice(0, MOST);
    fill(list, ...names.map((name) => h("li", {}, field(page, name, changed, draw))));
    if (names.length === 0) fill(list, h("li", { class: "note" }, "This trace has no states."));
  };
  const file = h("input", { type: "file", accept: ".json,application/json", "aria-label": "File of colors", class: "sr-only", tabindex: -1 });
  file.addEventListener("change", async () => {
    try {
      tell(`${takeColors((await file.files?.[0]?.text()) ?? "{}")} colors taken over.`);
    } catch {
      tell("The file is no JSON object of names and #rrggbb.");
    }
    file.value = "";
  });
  const actions = [
    h("button", { type: "button", onclick: () => file.click() }, "Import"),
    h("button", { type: "button", onclick: () => download("colors.json", colorsAsJson(), "application/json") }, "Export"),
    h("button", { type: "button", onclick: () => (forgetColors(), tell("All colors are those of the trace.")) }, "Reset all"),
  ];
  draw();
  openDialog("Colors", h("div", { class: "statements" }, said, list, file), actions);
}

function field(page: Page, name: string, changed: () => void, draw: () => void): HTMLElement {
  const input = h("input", { type: "color", value: hex(colorOf(page.trace, name)), "aria-label": `Color of ${name}` });
  input.addEventListener("input", () => {
    chooseColor(name, parseColor(input.value));
    changed();
  });
  input.addEventListener("change", draw);
  const reset = chosenColor(name) && h("button", { type: "button", class: "quiet", "aria-label": `Reset the color of ${name}`, onclick: () => (chooseColor(name, null), draw(), changed()) }, "Reset");
  return h("div", { class: "color-line" }, input, h("span", { class: "name grow", title: name }, name), reset);
}
