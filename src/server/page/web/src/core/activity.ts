// Whether the page still works on something: a gesture that has not settled, a question, a frame. The root element says so
// (data-busy), for tests, benchmarks and tools that wait until the page rests.

let open = 0;
/** What waits until nothing else is under way. */
const later: (() => void)[] = [];
/** The mark of that instant on the browser's own clock: all that was asked for is drawn. */
const CALM = "ocellus-calm";

/** The mark of the first picture: something of the trace is seen. */
const PICTURE = "ocellus-picture";

/** What waits for the first picture; null when it was there. */
let unseen: (() => void)[] | null = [];

let isPictured = false;

/** Says that a picture is drawn; only the first one is marked. What waits for it begins when the browser has shown it. */
export function pictured(): void {
  if (isPictured) return;
  isPictured = true;
  performance.mark(PICTURE);
  const end = begin();
  setTimeout(() => {
    beginUnseen();
    end();
  });
}

/** Does some work once the first picture is there, or nothing else is under way: there may be no picture. */
export function whenPictured(work: () => void): void {
  if (unseen === null) work();
  else unseen.push(work);
  mark();
}

function beginUnseen(): void {
  const works = unseen ?? [];
  unseen = null;
  // The page rests no sooner than they ask what they want to know.
  const end = begin();
  for (const work of works) work();
  setTimeout(end);
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
  if (open > 0) return;
  if (unseen !== null && unseen.length > 0) return beginUnseen();
  if (later.length === 0) return;
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
  private end: () => void = () => {};

  constructor(private readonly milliseconds: number, private readonly work: () => void) {}

  start(): void {
    this.cancel();
    this.end = begin();
    this.timer = window.setTimeout(() => {
      try {
        this.work();
      } finally {
        this.end();
      }
    }, this.milliseconds);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.end();
  }
}
