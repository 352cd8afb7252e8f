// How the window moves: wheel, drag, keys. A gesture changes the window at once; when it rests, it becomes a step.
import { Delay } from "../core/activity";
import { isTyping } from "../core/dom";
import { keys } from "../core/keys";
import type { Store } from "../core/store";
import type { TraceInfo } from "../core/trace";

/** How long a gesture rests before it counts as settled, in milliseconds. */
const REST = 160;
/** The fewest ticks that a window has. */
const FEWEST_TICKS = 8;

export class WindowControl {
  private readonly rest = new Delay(REST, () => this.settle());

  constructor(private readonly store: Store, private readonly trace: () => TraceInfo, private readonly settled: (window: [number, number]) => [number, number]) {}

  /** A window within the trace, not shorter than some ticks. */
  clamp(start: number, stop: number): [number, number] {
    const { start: begin, stop: end, tick } = this.trace();
    const length = Math.min(end - begin, Math.max(stop - start, FEWEST_TICKS * tick));
    const from = Math.min(Math.max(begin, (start + stop - length) / 2), end - length);
    return length >= end - begin ? [begin, end] : [from, from + length];
  }

  /** Moves the window within a gesture. */
  move(start: number, stop: number): void {
    const range = this.clamp(start, stop);
    this.store.update({ start: range[0], stop: range[1] }, "gesture");
    this.rest.start();
  }

  /** Moves the window as one step. */
  go(start: number, stop: number): void {
    this.rest.cancel();
    const range = this.clamp(start, stop);
    this.store.update({ start: range[0], stop: range[1] }, "push");
  }

  /** Ends a gesture. */
  settle(): void {
    this.rest.cancel();
    const { start, stop } = this.store.state;
    const range = this.settled([start, stop]);
    this.store.update({ start: range[0], stop: range[1] }, "push");
  }

  /** Makes the window longer (factor above 1) or shorter around a place of it, from 0 to 1. */
  zoom(factor: number, place: number): void {
    const { start, stop } = this.store.state;
    const at = start + (stop - start) * place;
    this.move(at - (at - start) * factor, at + (stop - at) * factor);
  }

  /** Moves the window by a share of its length. */
  pan(share: number): void {
    const { start, stop } = this.store.state;
    const { start: begin, stop: end } = this.trace();
    const by = Math.max(begin - start, Math.min(end - stop, (stop - start) * share));
    this.move(start + by, stop + by);
  }

  fit(): void {
    const { start, stop } = this.trace();
    this.go(start, stop);
  }
}

/** The keys that move the window; off while text is typed, and where another part of the page has taken the key. */
export function windowKeys(event: KeyboardEvent, control: WindowControl, scroll: (pixels: number) => void): boolean {
  if (isTyping(event.target) || event.defaultPrevented) return false;
  switch (keys.actionOf(event)) {
    case "zoom-in": control.zoom(1 / 1.4, 0.5); return true;
    case "zoom-out": control.zoom(1.4, 0.5); return true;
    case "pan-left": control.pan(-0.1); return true;
    case "pan-right": control.pan(0.1); return true;
    case "fit": control.fit(); return true;
  }
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return false;
  scroll(event.key === "ArrowUp" ? -44 : 44);
  return true;
}
