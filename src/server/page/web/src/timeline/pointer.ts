// The mouse over the timeline: wheel zooms, drag pans, shift and drag selects, a click inspects, a double click zooms in.
import { Delay } from "../core/activity";
import type { Page } from "../core/view";
import { columnOf, describe } from "./describe";
import type { TimelineSurface } from "./surface";

/** Milliseconds after which the pointer rests. */
const REST = 40;
/** Pixels that a click may move. */
const CLICK = 4;

export function listen(view: TimelineSurface, page: Page): void {
  const { canvas, ruler, scroller, control, model } = view;
  const timeAt = (x: number) => {
    const { start, stop } = page.store.state;
    return start + ((stop - start) * x) / (canvas.width / view.scale);
  };
  const placeOf = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    const y = event.clientY - box.top;
    return { x: event.clientX - box.left, y: y < model.pinnedHeight ? y : y + scroller.scrollTop };
  };

  // What the pointer is on is asked for when it rests there.
  let pointed: (() => Promise<void>) | null = null;
  const rested = new Delay(REST, () => void pointed?.());
  const leave = () => {
    pointed = null;
    rested.cancel();
    page.tooltip(null, 0, 0);
  };

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    leave();
    const box = canvas.getBoundingClientRect();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) control.pan(((event.shiftKey ? dy || dx : dx) / box.width) * 0.8);
    else control.zoom(Math.exp(Math.max(-200, Math.min(200, dy)) * 0.002), Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
  ruler.addEventListener("wheel", wheel, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    leave();
    const from = placeOf(event);
    const begin = { ...page.store.state };
    const scroll = scroller.scrollTop;
    let moved = false;
    canvas.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      const at = placeOf(next);
      const [dx, dy] = [next.clientX - event.clientX, next.clientY - event.clientY];
      if (!moved && Math.hypot(dx, dy) < CLICK) return;
      moved = true;
      leave();
      if (event.shiftKey) {
        const times = [timeAt(from.x), timeAt(at.x)].sort((a, b) => a - b);
        const ends = [from.y, at.y].sort((a, b) => a - b);
        const rows = model.rows.filter((row) => row.top + row.height > ends[0] && row.top < ends[1]);
        const isAll = rows.length === model.rows.length;
        const containers = isAll ? [] : [...new Set(rows.map((row) => row.container.id))];
        page.store.update({ selection: { ...begin.selection, start: times[0], stop: times[1], containers } }, "gesture");
      } else {
        const box = canvas.getBoundingClientRect();
        const by = ((begin.stop - begin.start) * dx) / box.width;
        const range = control.clamp(begin.start - by, begin.stop - by);
        page.store.update({ start: range[0], stop: range[1] }, "gesture");
        scroller.scrollTop = scroll - dy;
      }
    };
    const up = (next: PointerEvent) => {
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      canvas.removeEventListener("pointercancel", up);
      if (moved) {
        if (event.shiftKey) page.store.update({}, "push");
        else control.settle();
      } else if (next.type === "pointerup") {
        const row = model.rowAt(from.y);
        if (row) page.inspect(row.container.id, timeAt(from.x));
      }
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
  });

  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return;
    const { x, y } = placeOf(event);
    const row = model.rowAt(y);
    if (view.hover?.container !== row?.container.id) {
      view.hover = row ? { container: row.container.id, x } : null;
      view.requestFrame();
    }
    if (!row) return leave();
    const tell = () => page.tooltip(describe(model, page.store.state, row, model.levelAt(row, y), timeAt(x)), event.clientX, event.clientY);
    tell();
    pointed = async () => {
      const mine = pointed;
      if ((await view.askExact(row)) && pointed === mine) tell();
    };
    rested.start();
  });
  canvas.addEventListener("pointerleave", () => {
    leave();
    view.hover = null;
    view.requestFrame();
  });

  canvas.addEventListener("dblclick", (event) => {
    const { x, y } = placeOf(event);
    const row = model.rowAt(y);
    const data = row && model.dataOf(row);
    const span = row && data?.at(row, model.levelAt(row, y), columnOf(data.columns, timeAt(x)));
    if (!span || !data) return;
    const start = data.columns.start + span.first * data.columns.length;
    const stop = data.columns.start + (span.last + 1) * data.columns.length;
    const margin = (stop - start) * 0.1;
    control.go(start - margin, stop + margin);
  });

  ruler.addEventListener("pointerdown", (event) => {
    const box = ruler.getBoundingClientRect();
    const from = timeAt(event.clientX - box.left);
    ruler.setPointerCapture(event.pointerId);
    const range = (next: PointerEvent) => [from, timeAt(next.clientX - box.left)].sort((a, b) => a - b);
    const { selection } = page.store.state;
    const move = (next: PointerEvent) => {
      const [start, stop] = range(next);
      page.store.update({ selection: { ...selection, start, stop } }, "gesture");
    };
    const up = (next: PointerEvent) => {
      ruler.removeEventListener("pointermove", move);
      ruler.removeEventListener("pointerup", up);
      const [start, stop] = range(next);
      const isClick = Math.abs(next.clientX - event.clientX) < CLICK;
      page.store.update({ selection: { ...selection, start: isClick ? null : start, stop: isClick ? null : stop } }, "push");
    };
    ruler.addEventListener("pointermove", move);
    ruler.addEventListener("pointerup", up);
  });
}
