// When bitmaps of the timeline are made: those of the rows in sight at once, the others a little later.
import type { Page } from "../core/view";
import type { PaintLooks, TimelineModel } from "./model";

/** Milliseconds after which rows that are out of sight are painted. */
const LATER = 250;

/** Where the rows are seen. */
export interface Sight {
  readonly scroller: HTMLElement;
  /** Pixels of the device per pixel of the page. */
  readonly scale: number;
  requestFrame(): void;
}

export class Painter {
  private timer = 0;

  constructor(private readonly page: Page, private readonly model: TimelineModel, private readonly sight: Sight) {}

  /** Paints what is stale and in sight, or near it. */
  paint(): void {
    const { scrollTop, clientHeight } = this.sight.scroller;
    clearTimeout(this.timer);
    const isLeft = this.model.paint(this.page.trace, this.page.store.state, this.looks(), [scrollTop - clientHeight / 2, scrollTop + clientHeight * 1.5]);
    if (isLeft) this.timer = window.setTimeout(() => this.paintRest(), LATER);
    this.sight.requestFrame();
  }

  /** Paints what is out of sight, before it comes into sight. */
  paintRest(): void {
    clearTimeout(this.timer);
    this.model.paintRest(this.page.trace, this.page.store.state, this.looks());
    this.sight.requestFrame();
  }

  private looks(): PaintLooks {
    return { scale: this.sight.scale, background: this.page.theme("--background"), variable: this.page.theme("--variable") };
  }
}
