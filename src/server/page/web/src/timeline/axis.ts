// The ruler of time above a picture: round marks, and the step between them told once.
import { duration, instant, niceMarks } from "../core/format";
import type { Page } from "../core/view";

/** Draws a ruler for a window over so many pixels. */
export function drawRuler(context: CanvasRenderingContext2D, page: Page, window: [number, number], width: number, height: number, scale: number): void {
  context.clearRect(0, 0, width, height);
  context.fillStyle = page.theme("--quiet");
  context.strokeStyle = page.theme("--line");
  context.font = `${11 * scale}px ${page.theme("--font")}`;
  context.textBaseline = "middle";
  const { places, step } = niceMarks(window[0], window[1], width / scale / 110);
  context.lineWidth = 1;
  for (const place of places) {
    const x = Math.round(((place - window[0]) / (window[1] - window[0])) * width) + 0.5;
    context.beginPath();
    context.moveTo(x, height * 0.62);
    context.lineTo(x, height);
    context.stroke();
    const text = label(place, window, step);
    const room = context.measureText(text).width;
    const left = Math.min(Math.max(2, x - room / 2), width - room - 2);
    context.fillText(text, left, height * 0.36);
  }
}

/** A mark: in seconds, or beside a common start when the window is short. */
function label(place: number, window: [number, number], step: number): string {
  if (Math.abs(window[1]) / step > 1e6) {
    return `+${duration(place - window[0])}`;
  }
  return `${instant(place, step)} s`;
}

/** The places of grid lines, in pixels. */
export function gridLines(window: [number, number], width: number, scale: number): number[] {
  const { places } = niceMarks(window[0], window[1], width / scale / 110);
  return places.map((place) => Math.round(((place - window[0]) / (window[1] - window[0])) * width));
}
