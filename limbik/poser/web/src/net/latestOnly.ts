// A slider's values on their way to the server: one in flight, and only the newest waits.

export class Latest<T> {
  private busy = false;
  private waiting: { value: T } | null = null;
  private last: (() => void) | null = null;

  constructor(private readonly send: (value: T) => Promise<unknown>) {}

  give(value: T): void {
    this.waiting = { value };
    this.pump();
  }

  /** Calls `f` when everything given before has been answered. */
  then(f: () => void): void {
    this.last = f;
    this.pump();
  }

  private pump(): void {
    if (this.busy) return;
    if (this.waiting) {
      const { value } = this.waiting;
      this.waiting = null;
      this.busy = true;
      const go = (): void => {
        this.busy = false;
        this.pump();
      };
      // A refusal has been told to the person by then; the next value may fare better.
      this.send(value).then(go, go);
    } else if (this.last) {
      const f = this.last;
      this.last = null;
      f();
    }
  }
}
