// The list of keys, where each can be chosen anew or switched off.
import { openDialog } from "./dialog";
import { fill, h } from "./dom";
import { type Action, ACTIONS, isReserved, keyName, keyOf, keys } from "./keys";
import type { Page } from "./view";

/** What the mouse, and keys that stay, do. */
const OTHERS: [string, string][] = [
  ["wheel; Shift + wheel, drag", "zoom; pan"], ["Shift + drag; drag on the ruler", "select time and rows; time"],
  ["Click; double click", "inspect; zoom to a state, or into an area"], ["Escape", "clear the selection"],
  ["Tab to a picture, then arrows", "move a cursor that is read aloud; Enter inspects, Space selects"],
];

export function showKeys(page: Page): void {
  const list = h("div", { class: "keys" });
  const said = h("p", { class: "note", role: "status" }, "Keys are off while text is typed. They stay in this browser.");
  const draw = (focus = "") => {
    fill(list, ...ACTIONS.flatMap((action) => line(action, (text, name) => ((said.textContent = text), page.say(text), draw(name)))), h("span", { class: "keys-gap" }), ...OTHERS.flatMap(([key, text]) => [h("span", { class: "key" }, key), h("span", { class: "wide" }, text)]));
    list.querySelector<HTMLElement>(`[data-key="${focus}"]`)?.focus();
  };
  const reset = h("button", { type: "button", onclick: () => (keys.reset(), (said.textContent = "All keys are as the page comes with them."), draw()) }, "Reset");
  draw();
  openDialog("Keys", h("div", { class: "statements" }, said, list), [reset]);
}

/** An action and the button that takes another key for it. */
function line(action: Action, changed: (text: string, action: string) => void): HTMLElement[] {
  const names = [...keys.of(action), ...(action.also ?? [])].map(keyName);
  const button = h("button", { type: "button", "data-key": action.name, "aria-label": `${action.text}: ${names.join(", ") || "no key"}. Change` }, names.join(", ") || "off");
  let isTaking = false;
  button.addEventListener("click", () => {
    isTaking = true;
    button.textContent = "press a key…";
    button.classList.add("taking");
  });
  button.addEventListener("blur", () => isTaking && changed(`${action.text} keeps its key`, ""));
  button.addEventListener("keydown", (event) => {
    if (!isTaking || ["Shift", "Control", "Alt", "Meta", "Tab"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    isTaking = false;
    changed(take(action, event), action.name);
  });
  return [button, h("span", {}, action.text)];
}

/** Takes the key of an event for an action: Delete for none, Escape to leave it. */
function take(action: Action, event: KeyboardEvent): string {
  const key = keyOf(event);
  if (key === "Escape") return `${action.text} keeps its key`;
  if (key === "Delete" || key === "Backspace") {
    keys.choose(action, "");
    return `${action.text} has no key`;
  }
  if (isReserved(key)) return `${keyName(key)} stays what it is: choose another key`;
  const other = keys.choose(action, key);
  return `${keyName(key)}: ${action.text}${other ? `; ${other.text} lost it` : ""}`;
}
