// The curves of gain and loss over p: a click, or an arrow key, chooses a level.
import { count } from "../core/format";
import { Picture } from "../core/picture";
import type { Page } from "../core/view";

export interface Level {
  p: number;
  areas: number;
  gain: LevelShare;
  loss: LevelShare;
}

/** Gain or loss of a level: how high it is in the curve, and in words. */
export interface LevelShare {
  height: number;
  text: string;
}

const EDGE = { left: 34, right: 10, top: 22, bottom: 22 };

export class Curves {
  private readonly picture: Picture;
  private levels: Level[] = [];
  private chosen = 0;

  constructor(private readonly page: Page, private readonly choose: (p: number) => void) {
    this.picture = new Picture(page, "Gain and loss by p", (context) => this.draw(context), () => this.show(this.levels, this.chosen));
  }

  get element(): HTMLElement {
    return this.picture.element;
  }

  show(levels: Level[], chosen: number): void {
    this.levels = levels;
    this.chosen = chosen;
    if (this.picture.width === 0) this.picture.measure();
    const room = this.picture.height - EDGE.top - EDGE.bottom;
    this.picture.show(
      levels.map((level, at) => {
        const [left, right] = [this.x(level.p), this.x(levels[at + 1]?.p ?? 1)];
        return {
          x: left, y: EDGE.top, w: Math.max(2, right - left), h: room,
          lines: [`p ${level.p.toPrecision(3)}`, ["areas", count(level.areas)], ["gain", level.gain.text], ["loss", level.loss.text]],
          choose: () => this.choose(level.p),
        };
      }),
    );
  }

  private x(p: number): number {
    return EDGE.left + p * (this.picture.width - EDGE.left - EDGE.right);
  }

  private draw(context: CanvasRenderingContext2D): void {
    const room = this.picture.height - EDGE.top - EDGE.bottom;
    const y = (share: number) => EDGE.top + (1 - share) * room;
    context.font = `11px ${this.page.theme("--font")}`;
    context.textBaseline = "middle";
    for (const share of [0, 0.5, 1]) {
      context.fillStyle = this.page.theme("--line");
      context.fillRect(EDGE.left, Math.round(y(share)), this.picture.width - EDGE.left - EDGE.right, 1);
      context.fillStyle = this.page.theme("--quiet");
      context.fillText(`${share * 100}%`, 2, y(share));
      context.fillText(String(share), this.x(share) - 4, this.picture.height - 9);
    }
    const level = this.levels[this.chosen];
    if (level) {
      context.fillStyle = this.page.theme("--accent");
      context.fillRect(Math.round(this.x(level.p)), EDGE.top, 2, room);
    }
    const curves: ["gain" | "loss", string, number][] = [["gain", "--accent", EDGE.left], ["loss", "--error", EDGE.left + 50]];
    for (const [name, color, left] of curves) {
      context.strokeStyle = context.fillStyle = this.page.theme(color);
      context.fillText(name, left, 10);
      context.lineWidth = 1.5;
      context.beginPath();
      this.levels.forEach((entry, at) => {
        if (at === 0) context.moveTo(this.x(entry.p), y(entry[name].height));
        else {
          context.lineTo(this.x(entry.p), y(this.levels[at - 1][name].height));
          context.lineTo(this.x(entry.p), y(entry[name].height));
        }
      });
      const last = this.levels[this.levels.length - 1];
      if (last) context.lineTo(this.x(1), y(last[name].height));
      context.stroke();
    }
  }
}
