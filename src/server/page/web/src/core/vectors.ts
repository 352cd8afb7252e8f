// Columns of an Arrow stream in forms that are read fast: whole numbers of 64 bits as numbers, texts as places in a list.
import { type Column, Type } from "@uwdata/flechette";

/** A column of texts, which come again and again: the place of each in a list of those that there are; NO_TEXT for NULL. */
export interface Codes {
  readonly names: string[];
  readonly codes: Int32Array;
}

export const NO_TEXT = -1;

/** Reads texts; a dictionary is looked at once, however many batches use it. */
export function codesOf(column: Column<any>): Codes {
  const names: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (text: string | null) => {
    if (text === null) return NO_TEXT;
    let place = places.get(text);
    if (place === undefined) {
      places.set(text, (place = names.length));
      names.push(text);
    }
    return place;
  };
  const codes = new Int32Array(column.length);
  let [at, known, translated]: [number, unknown, number[]] = [0, null, []];
  for (const batch of column.data as readonly any[]) {
    if (batch.cache && batch.nullCount === 0) {
      if (batch.cache !== known) [known, translated] = [batch.cache, Array.from(batch.cache as ArrayLike<string | null>, placeOf)];
      const keys = batch.values as ArrayLike<number>;
      for (let row = 0; row < batch.length; row++) codes[at++] = translated[keys[row]];
    } else {
      for (let row = 0; row < batch.length; row++) codes[at++] = placeOf(batch.at(row));
    }
  }
  return { names, codes };
}

/** The upper half of a whole number of 64 bits is below this, and not below its negative, where a number holds all of it exactly. */
const MOST_UPPER = 2 ** 21;

/** Whole numbers of 64 bits, read by halves: ten times as fast as one bigint each. Null where some are NULL, or too large. */
export function wholeNumbers(column: Column<any>): Float64Array | null {
  if (column.nullCount > 0 || column.type.typeId !== Type.Int || !column.data.every((batch: any) => batch.values instanceof BigInt64Array)) return null;
  const numbers = new Float64Array(column.length);
  let at = 0;
  for (const batch of column.data as readonly any[]) {
    const halves = new Int32Array(batch.values.buffer, batch.values.byteOffset, 2 * batch.length);
    for (let row = 0; row < batch.length; row++) {
      const upper = halves[2 * row + 1];
      if (upper >= MOST_UPPER || upper < -MOST_UPPER) return null;
      numbers[at++] = upper * 2 ** 32 + (halves[2 * row] >>> 0);
    }
  }
  return numbers;
}
