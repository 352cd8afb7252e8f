// Whether the page still works on something: a gesture that has not settled, a question, a frame. The root element says so
// (data-busy), for tests, benchmarks and tools that wait until the page rests.

let open = 0;
/** What waits until nothing else is under way. */
const later: (() => void)[] = [];
/** The mark of that instant on the browser's own clock: all that was asked for is drawn. */
const CALM = "ocellus-calm";

/** The mark of the first picture: something of the trace is seen. */
const PICTURE = "ocellus-picture";

/** Says that a picture is there; only the first one is marked. */
export function pictured(): void {
  if (performance.getEntriesByName(PICTURE).length === 0) performance.mark(PICTURE);
}

/** Begins some work; what is returned ends it. Where others wait for what it gave, it ends "soon": they begin the next work first. */
export function begin(): (when?: "now" | "soon") => void {
  open++;
  mark();
  let isOver = false;
  return (when = "now") => {
    if (isOver) return;
    isOver = true;
    open--;
    if (when === "now") mark();
    else setTimeout(mark);
  };
}

function mark(): void {
  document.documentElement.toggleAttribute("data-busy", open > 0);
  if (open > 0 || later.length === 0) return;
  performance.mark(CALM);
  // What was drawn last is shown first.
  for (const work of later.splice(0)) setTimeout(work);
}

/** Does some work as soon as nothing else is under way: work that must not delay what the user waits for. */
export function whenCalm(work: () => void): void {
  later.push(work);
  mark();
}

/** Work that starts after a while, unless it is put off again. */
export class Delay {
  private timer = 0;
  /** Whether work is put off. */
  isWaiting = false;
  private end: () => void = () => {};

  constructor(private readonly milliseconds: number, private readonly work: () => void) {}

  start(): void {
    this.cancel();
    this.end = begin();
    this.isWaiting = true;
    this.timer = window.setTimeout(() => {
      this.isWaiting = false;
      try {
        this.work();
      } finally {
        this.end();
      }
    }, this.milliseconds);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.isWaiting = false;
    this.end();
  }
}
