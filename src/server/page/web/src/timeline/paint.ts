// States as pixels: every column of a strip is a stack of its values, each as high as its share. Colors are exact: nothing
// is blended, so a pixel tells a value.
import { type Color, pixel, toward } from "../core/color";
import type { Row } from "../core/tree";
import type { StateColumns } from "./data";

/** Room above and below the strips of a row. */
function padOf(row: Row): number {
  return row.height >= 14 ? 2 : row.height >= 8 ? 1 : 0;
}

/** The top and height of a strip within its row. */
export function stripPlace(row: Row, level: number): { top: number; height: number } {
  const pad = padOf(row);
  const room = row.height - 2 * pad;
  const top = Math.round((level * room) / row.levels);
  const end = Math.round(((level + 1) * room) / row.levels);
  return { top: pad + top, height: Math.max(1, end - top - (row.levels > 1 && level + 1 < row.levels ? 1 : 0)) };
}

/** How many pixels of a strip each share takes, from the ground up; a second value is never lost to rounding. */
export function stackHeights(shares: number[], height: number): number[] {
  const heights: number[] = [];
  let [sum, ground] = [0, 0];
  for (const share of shares) {
    sum += share;
    const top = Math.min(height, Math.round(sum * height));
    heights.push(Math.max(0, top - ground));
    ground = Math.max(ground, top);
  }
  const seen = heights.filter((part) => part > 0).length;
  const present = shares.filter((share) => share > 0).length;
  if (present > 1 && seen === 1 && height >= 4) {
    const largest = heights.findIndex((part) => part > 0);
    let second = -1;
    shares.forEach((share, at) => {
      if (at !== largest && share > 0 && (second < 0 || share > shares[second])) second = at;
    });
    if (ground === height) heights[largest] -= 1;
    heights[second] = 1;
  }
  return heights;
}

/** Paints the rows of a kind, from the top of the first row on, into a bitmap of one pixel per column. */
export function paintStates(
  data: StateColumns,
  rows: Row[],
  scale: number,
  colorOf: (value: string, row: Row) => { color: Color; faded: boolean },
  background: Color,
  kind: Row["kind"] = "state",
): HTMLCanvasElement | null {
  const last = rows[rows.length - 1];
  const width = data.columns.width;
  const height = last ? Math.round((last.top + last.height - rows[0].top) * scale) : 0;
  if (width === 0 || height === 0) return null;
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (const row of rows) {
    if (row.kind !== kind) continue;
    const known = new Map<string, number>();
    const shade = (value: string) => {
      let found = known.get(value);
      if (found === undefined) {
        const { color, faded } = colorOf(value, row);
        known.set(value, (found = pixel(faded ? toward(color, background, 0.85) : color)));
      }
      return found;
    };
    for (let level = 0; level < row.levels; level++) {
      const place = stripPlace(row, level);
      const top = Math.round((row.top - rows[0].top + place.top) * scale);
      const strip = Math.max(1, Math.round(place.height * scale));
      data.eachSpan(row, level, (order, from, to) => {
        const shares: number[] = [];
        for (let at = from; at < to; at++) shares.push(data.share[order[at]]);
        const heights = stackHeights(shares, strip);
        const [first, last] = [data.first[order[from]], Math.min(width - 1, data.last[order[from]])];
        let bottom = top + strip;
        for (let at = from; at < to; at++) {
          const part = heights[at - from];
          if (part === 0) continue;
          const color = shade(data.value[order[at]]);
          for (let y = bottom - part; y < bottom; y++) pixels.fill(color, y * width + first, y * width + last + 1);
          bottom -= part;
        }
      });
    }
  }
  return canvasOf(image);
}

/** A canvas with the pixels of an image. */
export function canvasOf(image: ImageData): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}
