// Colors: as traces write them, and how well the eye tells them apart. The same rules as those of `ocellus draw`.

export interface Color {
  red: number;
  green: number;
  blue: number;
}

export function rgb(red: number, green: number, blue: number): Color {
  return { red, green, blue };
}

export const REST = rgb(190, 190, 190);
export const EMPTY = rgb(245, 245, 245);

/** Reads a color as traces write it: three or four numbers from 0 to 1, or #rrggbb. */
export function parseColor(text: string | null): Color | null {
  if (text === null) return null;
  const trimmed = text.trim();
  if (trimmed.startsWith("#")) {
    const digits = trimmed.slice(1);
    if (!/^[0-9a-f]{6}$/i.test(digits)) return null;
    const code = parseInt(digits, 16);
    return rgb(code >> 16, (code >> 8) & 255, code & 255);
  }
  const parts = text.split(/[ ,\t]/).filter((part) => part !== "").map(Number);
  if ((parts.length !== 3 && parts.length !== 4) || !parts.every((part) => part >= 0 && part <= 1)) return null;
  return rgb(Math.round(parts[0] * 255), Math.round(parts[1] * 255), Math.round(parts[2] * 255));
}

/** A color between one (0) and another (1). */
export function toward(one: Color, other: Color, share: number): Color {
  const at = Math.min(1, Math.max(0, share));
  const mix = (a: number, b: number) => Math.round(a + (b - a) * at);
  return rgb(mix(one.red, other.red), mix(one.green, other.green), mix(one.blue, other.blue));
}

export function css(color: Color): string {
  return `rgb(${color.red}, ${color.green}, ${color.blue})`;
}

export function hex(color: Color): string {
  return "#" + [color.red, color.green, color.blue].map((part) => part.toString(16).padStart(2, "0")).join("");
}

/** The color as a pixel of an image on a little-endian machine. */
export function pixel(color: Color): number {
  return (0xff000000 | (color.blue << 16) | (color.green << 8) | color.red) >>> 0;
}

/** Whether dark text is readable on it. */
export function isLight(color: Color): boolean {
  return 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue > 140;
}

function linear(color: Color): [number, number, number] {
  const part = (channel: number) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return [part(color.red), part(color.green), part(color.blue)];
}

const known = new Map<number, [number, number, number]>();

function oklab(color: Color): [number, number, number] {
  const key = pixel(color);
  let found = known.get(key);
  if (!found) known.set(key, (found = computeOklab(color)));
  return found;
}

function computeOklab(color: Color): [number, number, number] {
  const [red, green, blue] = linear(color);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

/** How far two colors are from each other to the eye: their distance in OKLab. */
export function distance(one: Color, other: Color): number {
  const [a, b] = [oklab(one), oklab(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The contrast with white, as WCAG 2 defines it. */
export function contrastWithWhite(color: Color): number {
  const [red, green, blue] = linear(color);
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
