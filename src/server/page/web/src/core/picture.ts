// A picture made of items: rectangles that can be pointed at, chosen and opened, by mouse and by arrow keys, and that say
// what they are. The view draws; what is under the pointer or the cursor is the same for everyone.
import { h, pictureScale, style } from "./dom";
import type { Page } from "./view";

export interface Item {
  x: number;
  y: number;
  w: number;
  h: number;
  lines: (string | [string, string])[];
  choose?: (add: boolean) => void;
  open?: () => void;
}

export class Picture {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  private items: Item[] = [];
  private at = 0;
  private isActive = false;
  width = 0;
  height = 0;

  /** `draw` paints in pixels of the page; `resized` is told when there is another room. */
  constructor(private readonly page: Page, label: string, private readonly draw: (context: CanvasRenderingContext2D) => void, private readonly resized: () => void) {
    this.canvas = h("canvas", { class: "plot picture", tabindex: 0, role: "img", "aria-label": label });
    this.element = h("div", { class: "picture-room" }, this.canvas);
    this.listen();
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  /** Takes the size of its room; true when it has one. */
  measure(): boolean {
    const [width, height] = [Math.floor(this.element.clientWidth), Math.floor(this.element.clientHeight)];
    if (width < 20 || height < 20) return false;
    if (width !== this.width || height !== this.height) {
      [this.width, this.height] = [width, height];
      const scale = pictureScale();
      this.canvas.width = width * scale;
      this.canvas.height = height * scale;
      style(this.canvas, { width: `${width}px`, height: `${height}px` });
      this.paint();
      this.resized();
    }
    return true;
  }

  /** What can be pointed at, those on top last. */
  show(items: Item[]): void {
    this.items = items;
    this.at = Math.min(this.at, Math.max(0, items.length - 1));
    this.paint();
  }

  paint(): void {
    const context = this.canvas.getContext("2d");
    if (!context || this.width === 0) return;
    const scale = this.canvas.width / this.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.draw(context);
    const item = this.isActive ? this.items[this.at] : null;
    if (item) {
      context.strokeStyle = this.page.theme("--focus");
      context.lineWidth = 2;
      context.strokeRect(item.x + 1, item.y + 1, Math.max(2, item.w - 2), Math.max(2, item.h - 2));
    }
  }

  private find(event: MouseEvent): Item | null {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    for (let at = this.items.length - 1; at >= 0; at--) {
      const item = this.items[at];
      if (x >= item.x && x < item.x + item.w && y >= item.y && y < item.y + item.h) return item;
    }
    return null;
  }

  private listen(): void {
    const { canvas, page } = this;
    canvas.addEventListener("pointermove", (event) => page.tooltip(this.find(event)?.lines ?? null, event.clientX, event.clientY));
    canvas.addEventListener("pointerleave", () => page.tooltip(null, 0, 0));
    canvas.addEventListener("click", (event) => this.find(event)?.choose?.(event.shiftKey || event.ctrlKey || event.metaKey));
    canvas.addEventListener("dblclick", (event) => this.find(event)?.open?.());
    canvas.addEventListener("focus", () => {
      this.isActive = canvas.matches(":focus-visible");
      this.tell();
    });
    canvas.addEventListener("blur", () => {
      this.isActive = false;
      this.paint();
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (!this.isActive || event.ctrlKey || event.metaKey || event.altKey) return;
    const item = this.items[this.at];
    const directions: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (directions[event.key]) this.step(...directions[event.key]);
    else if (event.key === " ") item?.choose?.(event.shiftKey);
    else if (event.key === "Enter") (item?.open ?? item?.choose)?.(false as never);
    else return;
    event.preventDefault();
  }

  /** To the nearest item in a direction: near in that direction first, then across. */
  private step(dx: number, dy: number): void {
    const from = this.items[this.at];
    if (!from) return;
    const middle = (item: Item) => [item.x + item.w / 2, item.y + item.h / 2];
    const [x, y] = middle(from);
    let [best, least] = [-1, Infinity];
    this.items.forEach((item, at) => {
      const [itemX, itemY] = middle(item);
      const along = (itemX - x) * dx + (itemY - y) * dy;
      if (at === this.at || along <= 0.5) return;
      const cost = along + 3 * Math.abs((itemX - x) * dy + (itemY - y) * dx);
      if (cost < least) [best, least] = [at, cost];
    });
    if (best >= 0) this.at = best;
    this.tell();
  }

  private tell(): void {
    const item = this.isActive ? this.items[this.at] : null;
    if (item) this.page.say(item.lines.map((line) => (typeof line === "string" ? line : line.join(" "))).join(", "));
    this.paint();
  }
}
