// States as pixels: every column of a strip is a stack of its values, each of as many pixels as the answer says. Colors are
// exact: nothing is blended, so a pixel tells a value.
import { type Color, pixel, toward } from "../core/color";
import type { Row } from "../core/tree";
import type { StateColumns } from "./data";
import { stripPixels, stripPlace } from "./strips";

/** No pixel. */
const UNKNOWN = -1;

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
  const [pixelsOf, codes] = [data.pixels, data.values.codes];
  for (const row of rows) {
    if (row.kind !== kind) continue;
    const shades = new Float64Array(data.values.names.length).fill(UNKNOWN);
    const shade = (code: number) => {
      if (shades[code] === UNKNOWN) {
        const { color, faded } = colorOf(data.values.names[code], row);
        shades[code] = pixel(faded ? toward(color, background, 0.85) : color);
      }
      return shades[code];
    };
    for (let level = 0; level < row.levels; level++) {
      const top = Math.round((row.top - rows[0].top + stripPlace(row, level).top) * scale);
      const ground = top + stripPixels(row, level, scale);
      data.eachSpan(row, level, (order, from, to) => {
        const first = data.first[order[from]];
        const wide = Math.min(width - 1, data.lastOf(order[from])) + 1 - first;
        let bottom = ground;
        for (let at = from; at < to; at++) {
          // An answer for a higher strip is shown as far as there is room, until the next one is there.
          const end = Math.max(top, bottom - pixelsOf[order[at]]);
          const color = shade(codes[order[at]]);
          // Most spans are one column: a call for each of their pixels would take longer than the pixel.
          if (wide === 1) for (let y = end, place = end * width + first; y < bottom; y++, place += width) pixels[place] = color;
          else for (let y = end, place = end * width + first; y < bottom; y++, place += width) pixels.fill(color, place, place + wide);
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
