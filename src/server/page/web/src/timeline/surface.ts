// What keys and the mouse may use of the timeline.
import type { Row } from "../core/tree";
import type { Frame } from "./draw";
import type { WindowControl } from "./gestures";
import type { TimelineModel } from "./model";

export interface TimelineSurface {
  readonly canvas: HTMLCanvasElement;
  readonly ruler: HTMLCanvasElement;
  readonly scroller: HTMLElement;
  readonly control: WindowControl;
  readonly model: TimelineModel;
  /** Pixels of the screen in a pixel of the page. */
  readonly scale: number;
  /** The row under the pointer. */
  hover: Frame["hover"];
  requestFrame(): void;
  /** Asks for the exact amounts of a row, unless they are known; whether it has others than before. */
  askExact(row: Row): Promise<boolean>;
  select(container: number, add: boolean): void;
  toggle(container: number): void;
  pinRow(container: number): void;
  hideRow(container: number): void;
  /** Scrolls until a row is in sight. */
  reveal(row: Row): void;
}
