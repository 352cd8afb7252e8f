// Which key does what. Keys can be chosen anew, or switched off; the choice stays in the browser. Arrow keys, Enter, Space,
// Escape and Tab always do what they do everywhere.

export type ActionName =
  | "zoom-in" | "zoom-out" | "pan-left" | "pan-right" | "fit" | "back" | "search" | "notes" | "keys" | "colors"
  | "open-row" | "pin-row" | "hide-row" | `view-${number}`;

export interface Action {
  name: ActionName;
  text: string;
  keys: string[];
  /** Keys that do the same and stay. */
  also?: string[];
}

/** The views, by their place among the tabs. */
const VIEWS = Array.from({ length: 9 }, (_, at): Action => ({ name: `view-${at + 1}`, text: `view ${at + 1}`, keys: [String(at + 1)] }));

export const ACTIONS: Action[] = [
  { name: "zoom-in", text: "zoom in", keys: ["w", "+"] },
  { name: "zoom-out", text: "zoom out", keys: ["s", "-"] },
  { name: "pan-left", text: "pan to the left", keys: ["a"], also: ["ArrowLeft"] },
  { name: "pan-right", text: "pan to the right", keys: ["d"], also: ["ArrowRight"] },
  { name: "fit", text: "fit the whole trace", keys: ["f"] },
  { name: "back", text: "back: undo the last step", keys: ["z"], also: ["Backspace"] },
  { name: "search", text: "search; Enter: next, Shift + Enter: previous", keys: ["/"] },
  { name: "notes", text: "notes", keys: ["n"] },
  { name: "colors", text: "colors of values", keys: ["c"] },
  { name: "keys", text: "keys", keys: ["?"] },
  { name: "open-row", text: "open or close the row at the cursor", keys: ["x"] },
  { name: "pin-row", text: "pin the row at the cursor to the top", keys: ["p"] },
  { name: "hide-row", text: "hide the row at the cursor", keys: ["h"] },
  ...VIEWS,
];

const STORED = "ocellus.keys";

/** A key as it is compared and kept: letters of both cases are one key. */
export function keyOf(event: KeyboardEvent): string {
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

/** A key as people read it. */
export function keyName(key: string): string {
  const names: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", " ": "Space" };
  return names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

/** Keys that stay what they are everywhere. */
export function isReserved(key: string): boolean {
  return /^(Arrow|Page|Home$|End$|Enter$|Tab$|Escape$|Shift$|Control$|Alt$|Meta$| $)/.test(key);
}

class Keys {
  /** What the user chose: a key, or "" for none. */
  private chosen = read();

  of(action: Action): string[] {
    const chosen = this.chosen[action.name];
    return chosen === undefined ? action.keys : chosen === "" ? [] : [chosen];
  }

  /** What a key event asks for; null when nothing does, or with Ctrl, Alt or Meta. */
  actionOf(event: KeyboardEvent): ActionName | null {
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    const key = keyOf(event);
    return ACTIONS.find((action) => this.of(action).includes(key) || action.also?.includes(key))?.name ?? null;
  }

  /** Gives an action another key, or with "" none; the action that had this key loses it, and is returned. */
  choose(action: Action, key: string): Action | null {
    const other = key === "" ? undefined : ACTIONS.find((one) => one !== action && this.of(one).includes(key));
    if (other) this.chosen[other.name] = this.of(other).find((one) => one !== key) ?? "";
    this.chosen[action.name] = key;
    this.keep();
    return other ?? null;
  }

  reset(): void {
    this.chosen = {};
    this.keep();
  }

  /** What differs from the keys that the page comes with. */
  changes(): Record<string, string> {
    return this.chosen;
  }

  private keep(): void {
    try {
      localStorage.setItem(STORED, JSON.stringify(this.chosen));
    } catch {
      // The choice then lasts as long as the page.
    }
  }
}

function read(): Record<string, string> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    const known = new Set<string>(ACTIONS.map((action) => action.name));
    return Object.fromEntries(Object.entries(found ?? {}).filter(([name, key]) => known.has(name) && typeof key === "string"));
  } catch {
    return {};
  }
}

export const keys = new Keys();
