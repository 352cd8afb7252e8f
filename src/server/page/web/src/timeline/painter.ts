// When bitmaps of the timeline are made: those of the rows in sight at once, the others when nothing else is to do.
import { whenCalm } from "../core/activity";
import type { Page } from "../core/view";
import type { PaintLooks, TimelineModel } from "./model";

/** Where the rows are seen. */
export interface Sight {
  readonly scroller: HTMLElement;
  /** Pixels of the device per pixel of the page. */
  readonly scale: number;
  requestFrame(): void;
}

export class Painter {
  private isLeft = false;

  constructor(private readonly page: Page, private readonly model: TimelineModel, private readonly sight: Sight) {}

  /** Paints what is stale and in sight. */
  paint(): void {
    const { scrollTop, clientHeight } = this.sight.scroller;
    const wasLeft = this.isLeft;
    this.isLeft = this.model.paint(this.page.trace, this.page.store.state, this.looks(), [scrollTop, scrollTop + clientHeight]);
    this.sight.requestFrame();
    if (this.isLeft && !wasLeft) whenCalm(() => this.paintSome());
  }

  /** Paints what is out of sight, before it comes into sight. */
  paintRest(): void {
    while (this.isLeft) this.isLeft = this.model.paintRest(this.page.trace, this.page.store.state, this.looks());
  }

  /** A part of that, and the next part a little later, so that the page answers in between. */
  private paintSome(): void {
    if (this.isLeft) this.isLeft = this.model.paintRest(this.page.trace, this.page.store.state, this.looks());
    if (this.isLeft) setTimeout(() => this.paintSome());
  }

  private looks(): PaintLooks {
    return { scale: this.sight.scale, background: this.page.theme("--background"), variable: this.page.theme("--variable") };
  }
}
