// States as pixels: every column of a strip is a stack of its values, each of as many pixels as the answer says. Colors are
// exact: nothing is blended, so a pixel tells a value.
import { type Color, pixel, toward } from "../core/color";
import type { Row } from "../core/tree";
import type { StateColumns } from "./data";
import { stripPixels, stripPlace } from "./strips";

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
      const top = Math.round((row.top - rows[0].top + stripPlace(row, level).top) * scale);
      const ground = top + stripPixels(row, level, scale);
      data.eachSpan(row, level, (order, from, to) => {
        const [first, last] = [data.first[order[from]], Math.min(width - 1, data.last[order[from]])];
        let bottom = ground;
        for (let at = from; at < to; at++) {
          // An answer for a higher strip is shown as far as there is room, until the next one is there.
          const end = Math.max(top, bottom - data.pixels[order[at]]);
          const color = shade(data.value[order[at]]);
          for (let y = end; y < bottom; y++) {
            if (first === last) pixels[y * width + first] = color;
            else pixels.fill(color, y * width + first, y * width + last + 1);
          }
          bottom = end;
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
