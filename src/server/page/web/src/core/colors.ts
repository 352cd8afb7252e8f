// Colors that the user gave to values. They count in every trace, stay in the browser, and can be exported and read again.
import { type Color, hex, parseColor } from "./color";

const STORED = "ocellus.colors";

let chosen = read();

/** The color that the user gave to a value. */
export function chosenColor(value: string): Color | null {
  return chosen.get(value) ?? null;
}

/** The colors as comments of SQL, for the export of a session. */
export function colorComments(): string {
  return [...chosen].map(([value, color]) => `-- color ${hex(color)} ${JSON.stringify(value)}\n`).join("");
}

/** Gives a value a color, or with null takes it back. */
export function chooseColor(value: string, color: Color | null): void {
  if (color) chosen.set(value, color);
  else chosen.delete(value);
  keep();
}

/** The colors as JSON: an object of names and #rrggbb. */
export function colorsAsJson(): string {
  return JSON.stringify(Object.fromEntries([...chosen].map(([value, color]) => [value, hex(color)])), null, 1);
}

/** Takes colors of JSON over those that are there; how many. */
export function takeColors(text: string): number {
  const found = parse(text);
  for (const [value, color] of found) chosen.set(value, color);
  keep();
  return found.size;
}

export function forgetColors(): void {
  chosen = new Map();
  keep();
}

function parse(text: string): Map<string, Color> {
  const found: unknown = JSON.parse(text);
  const colors = new Map<string, Color>();
  for (const [value, color] of Object.entries(found ?? {})) {
    const parsed = typeof color === "string" ? parseColor(color) : null;
    if (parsed) colors.set(value, parsed);
  }
  return colors;
}

function read(): Map<string, Color> {
  try {
    return parse(localStorage.getItem(STORED) ?? "{}");
  } catch {
    return new Map();
  }
}

function keep(): void {
  try {
    localStorage.setItem(STORED, colorsAsJson());
  } catch {
    // The choice then lasts as long as the page.
  }
}
