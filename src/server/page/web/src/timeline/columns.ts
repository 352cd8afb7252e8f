// A window as columns: one per pixel, or per tick where these are wider; and the wider range that is asked for, so that
// small pans ask nothing.
//
//   asked    |.....left.....|########window########|....right....|
//   columns  0              left                   left+shown    width

export interface Columns {
  /** The range that is asked for. */
  start: number;
  stop: number;
  /** Its columns. */
  width: number;
  /** Seconds of a column. */
  length: number;
  /** Pixels of a column. */
  pixels: number;
}

/** The columns of a window in so many pixels, with half a window on both sides as far as the trace goes. */
export function columnsOf(window: [number, number], pixels: number, trace: { start: number; stop: number; tick: number }): Columns {
  let [start, stop] = window;
  let shown = pixels;
  if ((stop - start) / pixels < trace.tick) {
    start = Math.floor(start / trace.tick + 1e-6) * trace.tick;
    shown = Math.max(1, Math.round((stop - start) / trace.tick));
    stop = start + shown * trace.tick;
  }
  const length = (stop - start) / shown;
  const margin = Math.ceil(shown / 2);
  const left = Math.max(0, Math.min(margin, Math.floor((start - trace.start) / length + 1e-9)));
  const right = Math.max(0, Math.min(margin, Math.floor((trace.stop - stop) / length + 1e-9)));
  return {
    start: left === 0 ? start : start - left * length,
    stop: right === 0 ? stop : stop + right * length,
    width: left + shown + right,
    length,
    pixels: pixels / shown,
  };
}

/** So much wider are the columns of the first picture of a large trace. */
const WIDER = 8;

/** States from which on a picture of all columns takes so long that one of wide columns comes first, and least columns. */
const MANY_STATES = 5e6;
const LEAST_WIDTH = 100;

/** Whether the first picture of a trace comes in wide columns; the option decides where it says something. */
export function comesWide(columns: Columns, states: number, option: string | undefined): boolean {
  return columns.width >= LEAST_WIDTH && (option === "1" || (option !== "0" && states >= MANY_STATES));
}

/** The same range in fewer columns, which the summaries of a store answer for the most part. */
export function wider({ start, stop, width, pixels }: Columns): Columns {
  const fewer = Math.max(1, Math.ceil(width / WIDER));
  return { start, stop, width: fewer, length: (stop - start) / fewer, pixels: (pixels * width) / fewer };
}

/** Whether columns that are there show a window exactly. */
export function covers(columns: Columns, window: [number, number], pixels: number): boolean {
  const length = (columns.length * pixels) / columns.pixels;
  const slack = columns.length * 1e-3;
  return (
    Math.abs(window[1] - window[0] - length) <= slack && window[0] >= columns.start - slack && window[1] <= columns.stop + slack
  );
}

/** A window moved onto the border of a column, so that its pixels are columns. */
export function aligned(columns: Columns, window: [number, number]): [number, number] {
  const steps = Math.round((window[0] - columns.start) / columns.length);
  const start = steps === 0 ? columns.start : columns.start + steps * columns.length;
  return [start, start + (window[1] - window[0])];
}
