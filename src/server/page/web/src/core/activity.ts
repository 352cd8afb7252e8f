// Whether the page still works on something: a gesture that has not settled, a question, a frame. The root element says so
// (data-busy), for tests, benchmarks and tools that wait until the page rests.

let open = 0;

/** Begins some work; what is returned ends it. */
export function begin(): () => void {
  open++;
  mark();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    open--;
    mark();
  };
}

function mark(): void {
  document.documentElement.toggleAttribute("data-busy", open > 0);
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
      this.work();
      this.end();
    }, this.milliseconds);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.end();
  }
}
