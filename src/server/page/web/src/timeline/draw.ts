// A frame of the timeline: the bitmaps of the last answer, moved and stretched to the window, and what lies over them.
import type { Annotation } from "../core/annotations";
import type { PageState } from "../core/store";
import type { Row } from "../core/tree";
import type { Page } from "../core/view";
import { gridLines } from "./axis";
import { byThickness, type LinkBundle } from "./bundles";
import { arrow, middleOf } from "./layers";
import type { Bitmap, TimelineModel } from "./model";

/** How faint links are, and bundles of them, however many there are. */
const FAINT = 0.25;
const FAINTEST = 0.12;

export interface Frame {
  context: CanvasRenderingContext2D;
  /** Size in pixels of the device, and how many of these a pixel of the page has. */
  width: number;
  height: number;
  scale: number;
  /** How far the rows are scrolled, in pixels of the page. */
  scroll: number;
  hover: { container: number; x: number } | null;
  cursor: { left: number; width: number; top: number; height: number } | null;
  annotations: Annotation[];
}

export function drawFrame(page: Page, model: TimelineModel, state: PageState, frame: Frame): void {
  const { context, width, height, scale } = frame;
  const window: [number, number] = [state.start, state.stop];
  context.clearRect(0, 0, width, height);
  const edge = Math.round(model.pinnedHeight * scale);
  for (const pinned of [false, true]) {
    const [top, bottom] = pinned ? [0, edge] : [edge, height];
    if (bottom <= top) continue;
    context.save();
    context.beginPath();
    context.rect(0, top, width, bottom - top);
    context.clip();
    drawRows(page, model, frame, pinned);
    context.fillStyle = page.theme("--grid");
    for (const x of gridLines(window, width, scale)) context.fillRect(x, top, 1, bottom - top);
    for (const bitmap of model.bitmaps) if (bitmap.pinned === pinned) drawBitmap(bitmap, window, frame);
    context.restore();
  }
  if (edge > 0) {
    context.fillStyle = page.theme("--quiet");
    context.fillRect(0, edge - 1, width, 1);
  }
  drawLinks(page, model, state, frame);
  if (state.path) drawPath(page, model, state, frame);
  drawSelection(page, model, state, frame);
  for (const note of frame.annotations) drawAnnotation(page, note, window, frame);
  if (frame.cursor) {
    context.strokeStyle = page.theme("--focus");
    context.lineWidth = 2 * scale;
    const { left, width: wide, top, height: high } = frame.cursor;
    context.strokeRect(left - scale, top * scale - scale, wide + 2 * scale, high * scale + 2 * scale);
  }
}

function drawRows(page: Page, model: TimelineModel, frame: Frame, pinned: boolean): void {
  const { context, width, height, scale, scroll } = frame;
  for (const row of model.rows) {
    if (row.pinned !== pinned) continue;
    const top = Math.round(model.screenTop(row, scroll) * scale);
    const high = Math.round(row.height * scale);
    if (top + high < 0 || top > height) continue;
    if (row.isFirst) {
      context.fillStyle = page.theme("--grid");
      context.fillRect(0, top, width, 1);
    }
    if (frame.hover?.container === row.container.id) {
      context.fillStyle = page.theme("--hover");
      context.fillRect(0, top, width, high);
    }
  }
}

function drawBitmap(bitmap: Bitmap, window: [number, number], frame: Frame): void {
  const perSecond = frame.width / (window[1] - window[0]);
  const snap = (value: number) => (Math.abs(value - Math.round(value)) < 0.02 ? Math.round(value) : value);
  const left = snap((bitmap.start - window[0]) * perSecond);
  const wide = snap((bitmap.stop - bitmap.start) * perSecond);
  const top = Math.round((bitmap.top - (bitmap.pinned ? 0 : frame.scroll)) * frame.scale);
  frame.context.imageSmoothingEnabled = false;
  frame.context.drawImage(bitmap.canvas, left, top, wide, Math.round(bitmap.height * frame.scale));
}

function drawLinks(page: Page, model: TimelineModel, state: PageState, frame: Frame): void {
  if (state.options.links === "0") return;
  if (model.bundles) drawBundles(page, model, state, frame, model.bundles.drawn);
  if (model.links.length === 0) return;
  const { context, width, scale, scroll } = frame;
  const perSecond = width / (state.stop - state.start);
  const isNear = touched(state, frame);
  const faint = Math.max(FAINT, Math.min(0.8, 60 / model.links.length));
  for (const strong of [false, true]) {
    context.strokeStyle = context.fillStyle = page.theme(strong ? "--link-strong" : "--link");
    context.lineWidth = (strong ? 1.5 : 1) * scale;
    context.globalAlpha = strong ? 1 : faint;
    for (const link of model.links) {
      if (isNear(link) !== strong) continue;
      const from = middleOf(page.trace, model.firstRows, link.source, scroll);
      const to = middleOf(page.trace, model.firstRows, link.target, scroll);
      if (from === null || to === null) continue;
      const x = (time: number) => (time - state.start) * perSecond;
      arrow(context, [x(link.start), from * scale], [x(link.stop), to * scale], scale);
    }
  }
  context.globalAlpha = 1;
}

/** Bundles as lines, those of what is under the pointer or selected last. */
function drawBundles(page: Page, model: TimelineModel, state: PageState, frame: Frame, bundles: LinkBundle[]): void {
  const { context, width, scale, scroll } = frame;
  const perSecond = width / (state.stop - state.start);
  const x = (time: number) => (time - state.start) * perSecond;
  const isNear = touched(state, frame);
  const faint = Math.max(FAINTEST, Math.min(0.6, 150 / bundles.length));
  for (const strong of [false, true]) {
    context.strokeStyle = page.theme(strong ? "--link-strong" : "--link");
    context.globalAlpha = strong ? 1 : faint;
    for (const [thick, lines] of byThickness(bundles)) {
      context.lineWidth = thick * scale;
      context.beginPath();
      for (const bundle of lines) {
        if (isNear(bundle) !== strong) continue;
        const from = middleOf(page.trace, model.firstRows, bundle.source, scroll);
        const to = middleOf(page.trace, model.firstRows, bundle.target, scroll);
        if (from === null || to === null) continue;
        context.moveTo(x(bundle.start), from * scale);
        context.lineTo(x(bundle.stop), to * scale);
      }
      context.stroke();
    }
  }
  context.globalAlpha = 1;
}

/** Whether a link starts or ends in what is under the pointer, or selected. */
function touched(state: PageState, frame: Frame): (link: { source: number; target: number }) => boolean {
  const hovered = frame.hover?.container;
  const containers = new Set(state.selection.containers);
  return ({ source, target }) => source === hovered || target === hovered || containers.has(source) || containers.has(target);
}

function drawPath(page: Page, model: TimelineModel, state: PageState, frame: Frame): void {
  const { context, width, scale, scroll } = frame;
  const perSecond = width / (state.stop - state.start);
  context.lineCap = "round";
  for (const [color, wide] of [["--background", 5], ["--path", 2.5]] as const) {
    context.strokeStyle = page.theme(color);
    context.lineWidth = wide * scale;
    context.beginPath();
    for (const step of model.path) {
      const from = middleOf(page.trace, model.firstRows, step.container, scroll);
      const to = step.target === null ? from : middleOf(page.trace, model.firstRows, step.target, scroll);
      if (from === null || to === null) continue;
      context.moveTo((step.start - state.start) * perSecond, from * scale);
      context.lineTo((step.stop - state.start) * perSecond, to * scale);
    }
    context.stroke();
  }
  context.lineCap = "butt";
}

function drawSelection(page: Page, model: TimelineModel, state: PageState, frame: Frame): void {
  const { start, stop, containers } = state.selection;
  if (start === null || stop === null) return;
  const { context, width, height, scale, scroll } = frame;
  const perSecond = width / (state.stop - state.start);
  const left = (start - state.start) * perSecond;
  const right = (stop - state.start) * perSecond;
  context.fillStyle = page.theme("--selection");
  if (containers.length === 0) context.fillRect(left, 0, right - left, height);
  const tops = containers.map((id) => page.trace.byId.get(id)).filter((container) => container !== undefined);
  const isSelected = ({ container }: Row) => tops.some((top) => container.preorder >= top.preorder && container.preorder <= top.last);
  for (const row of tops.length > 0 ? model.rows.filter(isSelected) : []) {
    context.fillRect(left, model.screenTop(row, scroll) * scale, right - left, row.height * scale);
  }
  context.fillStyle = page.theme("--accent");
  context.fillRect(Math.round(left), 0, scale, height);
  context.fillRect(Math.round(right) - scale, 0, scale, height);
}

function drawAnnotation(page: Page, note: Annotation, window: [number, number], frame: Frame): void {
  const x = Math.round(((note.time - window[0]) / (window[1] - window[0])) * frame.width);
  if (x < 0 || x > frame.width) return;
  const { context, scale } = frame;
  context.fillStyle = page.theme("--note");
  context.fillRect(x, 0, Math.max(1, scale), frame.height);
  context.font = `600 ${11 * scale}px ${page.theme("--font")}`;
  const text = note.text.slice(0, 60);
  const wide = context.measureText(text).width + 10 * scale;
  const left = Math.min(x, frame.width - wide);
  context.fillRect(left, 0, wide, 17 * scale);
  context.fillStyle = page.theme("--note-ink");
  context.textBaseline = "middle";
  context.fillText(text, left + 5 * scale, 9 * scale);
}
