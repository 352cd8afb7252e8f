// Notes at instants of a trace. They stay in the browser, per trace, and can be exported.

export interface Annotation {
  time: number;
  text: string;
}

const KEY = "ocellus.annotations.";

export function annotationsOf(trace: string): Annotation[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY + trace) ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.filter((note) => Number.isFinite(note?.time) && typeof note?.text === "string");
  } catch {
    return [];
  }
}

export function saveAnnotations(trace: string, notes: Annotation[]): void {
  try {
    localStorage.setItem(KEY + trace, JSON.stringify(notes));
  } catch {
    // A browser that keeps nothing still shows them until the page is left.
  }
}
