// How fast answers come: round trips in milliseconds and solves in the last second.

const KEPT = 121; // round trips that the median is taken over
const SECOND = 1000;

export class Pace {
  private readonly trips: number[] = [];
  private solves: number[] = [];

  answered(ms: number): void {
    this.trips.push(ms);
    if (this.trips.length > KEPT) this.trips.shift();
  }

  solved(now: number): void {
    this.solves.push(now);
    if (this.solves.length > 4 * KEPT) this.solves = this.solves.filter((t) => now - t <= SECOND);
  }

  /** Solves in the second before `now`. */
  rate(now: number): number {
    this.solves = this.solves.filter((t) => now - t <= SECOND);
    return this.solves.length;
  }

  /** The newest round trip and the median of the last ones, NaN before the first. */
  get roundTrip(): { last: number; median: number } {
    const sorted = this.trips.toSorted((a, b) => a - b);
    return { last: this.trips.at(-1) ?? NaN, median: sorted[Math.floor(sorted.length / 2)] ?? NaN };
  }
}
