// Where the strips of a row are: one per level of nesting.
import type { Row } from "../core/tree";

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

/** How many pixels of the device a strip is high. */
export function stripPixels(row: Row, level: number, scale: number): number {
  return Math.max(1, Math.round(stripPlace(row, level).height * scale));
}
