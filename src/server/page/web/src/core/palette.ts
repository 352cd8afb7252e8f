// Which color a value has: the one that `ocellus draw` gives it.
//
// A value keeps the color of the trace where it can be told apart from white, from the colors of the values before it, and
// where it is no paler form of another. Else it has a color of Ocellus, chosen by its name; when all are taken, gray. A
// picture shows a dozen values in colors of their own, those with most time, and the rest in gray.
import { type Color, contrastWithWhite, distance, EMPTY, pixel, REST, rgb, toward } from "./color";

const LEAST_DISTANCE = 0.1;
const LEAST_TINT_DISTANCE = 0.05;
const LEAST_CONTRAST = 1.3;
const MAX_VALUES = 12;

const OCELLUS: Color[] = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0], [86, 180, 233], [204, 121, 167], [240, 228, 66],
  [136, 34, 85], [51, 34, 136], [153, 153, 51], [170, 68, 153], [148, 112, 76], [0, 96, 40], [110, 90, 220],
  [12, 84, 96], [96, 60, 12], [200, 20, 40], [0, 205, 185], [250, 165, 225], [130, 205, 60], [235, 70, 140],
  [255, 190, 140],
].map(([red, green, blue]) => rgb(red, green, blue));

/** How many values have a color of their own when the trace gives none. */
export const PALETTE_SIZE = OCELLUS.length;

/** The colors of all values of a trace, given in the order in which they matter. */
export function palette(values: [string, Color | null][]): Map<string, Color> {
  const given = new Map<string, Color | null>();
  for (const [name, color] of values) given.set(name, given.get(name) ?? color);
  const all = [...new Map([...given.values()].filter((color) => color !== null).map((color) => [pixel(color), color])).values()];
  const colors = new Map<string, Color>();
  const taken: Color[] = [];
  for (const [name, color] of given) {
    if (color && contrastWithWhite(color) >= LEAST_CONTRAST && isApart(color, taken) && !all.some((other) => isTint(color, other))) {
      taken.push(color);
      colors.set(name, color);
    }
  }
  for (const name of given.keys()) {
    if (colors.has(name)) continue;
    const color = ownColor(name, taken);
    if (!same(color, REST)) taken.push(color);
    colors.set(name, color);
  }
  return colors;
}

/** The colors of a picture: of values with their weights, the largest have one each, the rest is gray. */
export function valueColors(colors: Map<string, Color>, weights: [string, number][]): { shown: string[]; of: Map<string, Color> } {
  const order = weights.filter(([name]) => name !== "").sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const kept = order.length <= MAX_VALUES + 1 ? order.length : MAX_VALUES;
  const shown = order.slice(0, kept).map(([name]) => name);
  const spare = palette(shown.map((name) => [name, null]));
  const of = new Map<string, Color>();
  for (const name of shown) {
    const color = colors.get(name) ?? ownColor(name, []);
    if (!same(color, REST)) of.set(name, color);
  }
  for (const name of shown) {
    if (of.has(name)) continue;
    const isFree = (color: Color) => !same(color, REST) && [...of.values()].every((other) => !same(other, color));
    of.set(name, [name, ...shown].map((other) => spare.get(other) ?? REST).find(isFree) ?? REST);
  }
  return { shown, of };
}

function same(one: Color, other: Color): boolean {
  return one.red === other.red && one.green === other.green && one.blue === other.blue;
}

function isApart(color: Color, taken: Color[]): boolean {
  return [...taken, REST].every((other) => distance(color, other) >= LEAST_DISTANCE);
}

function isTint(color: Color, other: Color): boolean {
  if (distance(color, other) < LEAST_DISTANCE) return false;
  for (let step = 1; step < 20; step++) {
    if (distance(toward(EMPTY, other, step / 20), color) < LEAST_TINT_DISTANCE) return true;
  }
  return false;
}

function ownColor(name: string, taken: Color[]): Color {
  const first = place(name, OCELLUS.length);
  for (let step = 0; step < OCELLUS.length; step++) {
    const color = OCELLUS[(first + step) % OCELLUS.length];
    if (isApart(color, taken)) return color;
  }
  return REST;
}

/** A name's own place among so many (FNV-1a). */
function place(name: string, count: number): number {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return Number(hash % BigInt(count));
}
