// Numbers as people read them: seconds, counts, shares, amounts; and round places for the marks of an axis.

const UNITS: [number, string][] = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

function trimmed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.?0+$/, "");
}

/** A length of time with its unit, to about four digits. */
export function duration(seconds: number): string {
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds);
  const [unit, name] = UNITS.find(([unit]) => size >= unit) ?? UNITS[3];
  const value = seconds / unit;
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return `${Math.abs(value) >= 1e5 ? count(Math.round(value)) : trimmed(value, Math.min(digits, 6))} ${name}`;
}

/** An instant, with as many digits as a step of so many seconds needs. */
export function instant(seconds: number, step: number): string {
  const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step) + 0.0001)));
  return seconds.toFixed(digits);
}

/** A whole number with separators. The first formatter of the browser's own takes longer to make than the page to lay out. */
export function count(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share as a percentage. */
export function percent(share: number): string {
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.1) return "< 0.1 %";
  return `${value >= 99.95 && value < 100 ? "> 99.9" : trimmed(value, 1)} %`;
}

/** An amount such as bytes, with a prefix. */
export function amount(value: number): string {
  const size = Math.abs(value);
  for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as [number, string][]) {
    if (size >= unit) return `${trimmed(value / unit, size >= 100 * unit ? 0 : size >= 10 * unit ? 1 : 2)} ${name}`;
  }
  return size !== 0 && size < 0.01 ? value.toExponential(2) : trimmed(value, 3);
}

/** A cell of a table: any value that a query gives. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
  return String(value);
}

/** The step between marks: 1, 2 or 5 times a power of ten, for about so many marks. */
export function niceStep(length: number, marks: number): number {
  const raw = length / Math.max(1, marks);
  const power = 10 ** Math.floor(Math.log10(raw));
  const rest = raw / power;
  return (rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1) * power;
}

/** The round places between two values. */
export function niceMarks(start: number, stop: number, marks: number): { places: number[]; step: number } {
  const step = niceStep(stop - start, marks);
  const places: number[] = [];
  if (!(step > 0) || !Number.isFinite(step)) return { places, step: 1 };
  for (let at = Math.ceil(start / step - 1e-9); at * step <= stop + step * 1e-9; at++) places.push(at * step);
  return { places, step };
}

/** Seconds as typed: a number with an optional unit (ns, us, µs, ms, s). */
export function parseSeconds(text: string): number | null {
  const match = /^\s*([+-]?[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s*(ns|us|µs|ms|s)?\s*$/i.exec(text);
  if (!match) return null;
  const unit = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1 }[(match[2] ?? "s").toLowerCase()] ?? 1;
  return Number(match[1]) * unit;
}
