// Columns of text in which few texts come again and again, such as names of values: each is decoded once.
import type { Column } from "@uwdata/flechette";

interface Known {
  bytes: Uint8Array;
  text: string;
}

/** A batch of text: where each begins in the bytes. */
interface TextBatch {
  length: number;
  nullCount: number;
  offsets: Int32Array;
  values: Uint8Array;
}

/** Type of a column of UTF-8 with offsets of 32 bits, as Arrow numbers it. */
const UTF8 = 5;

/** The texts of a column; null when it is no column of text, or has NULLs, which its own reader knows. */
export function textsOf(column: Column<unknown>): string[] | null {
  const batches = column.data as unknown as TextBatch[];
  if (column.type.typeId !== UTF8 || batches.some((batch) => batch.nullCount > 0 || !(batch.offsets instanceof Int32Array))) return null;
  const texts = new Array<string>(column.length);
  const known = new Map<number, Known[]>();
  const decoder = new TextDecoder();
  let [at, last]: [number, Known | null] = [0, null];
  for (const { length, offsets, values } of batches) {
    for (let row = 0; row < length; row++) {
      const [start, stop] = [offsets[row], offsets[row + 1]];
      if (!last || !isSame(last.bytes, values, start, stop)) last = find(known, values, start, stop, decoder);
      texts[at++] = last.text;
    }
  }
  return texts;
}

function isSame(bytes: Uint8Array, values: Uint8Array, start: number, stop: number): boolean {
  if (bytes.length !== stop - start) return false;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== values[start + at]) return false;
  return true;
}

function find(known: Map<number, Known[]>, values: Uint8Array, start: number, stop: number, decoder: TextDecoder): Known {
  let hash = stop - start;
  for (let at = start; at < stop; at++) hash = (Math.imul(hash, 31) + values[at]) | 0;
  let list = known.get(hash);
  if (!list) known.set(hash, (list = []));
  let found = list.find((one) => isSame(one.bytes, values, start, stop));
  if (!found) {
    const bytes = values.slice(start, stop);
    list.push((found = { bytes, text: decoder.decode(bytes) }));
  }
  return found;
}
