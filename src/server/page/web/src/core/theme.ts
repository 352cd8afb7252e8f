// Light and dark: as the system says, or as the user chose, kept in the browser.

const KEY = "ocellus.theme";

export class Theme {
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
  private readonly known = new Map<string, string>();
  onchange: () => void = () => {};

  constructor() {
    this.apply();
    this.system.addEventListener("change", () => {
      this.apply();
      this.onchange();
    });
  }

  get isDark(): boolean {
    const chosen = this.chosen();
    return chosen ? chosen === "dark" : this.system.matches;
  }

  toggle(): void {
    const next = this.isDark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // The choice then lasts as long as the page.
    }
    this.session = next;
    this.apply();
    this.onchange();
  }
  private session = "";

  private chosen(): string {
    try {
      return this.session || localStorage.getItem(KEY) || "";
    } catch {
      return this.session;
    }
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
    this.known.clear();
  }

  /** A color or font of the style sheet, as canvas needs it. */
  value(name: string): string {
    let found = this.known.get(name);
    if (found === undefined) {
      found = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      this.known.set(name, found);
    }
    return found;
  }
}
