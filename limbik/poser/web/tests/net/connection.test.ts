// The connection: order, one drag in flight, the newest of them, and coming back.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Link, type LinkState, type Socket } from "../../src/net/connection";

class Wire implements Socket {
  binaryType = "";
  sent: (string | ArrayBuffer)[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  send(data: string | ArrayBuffer): void {
    this.sent.push(data);
  }
  close(): void {
    this.onclose?.({ code: 1000, reason: "" });
  }

  /** What was sent, drags as "effector x sequence" and scrubs as "frame". */
  get log(): string[] {
    return this.sent.map((data) => {
      if (typeof data === "string") return (JSON.parse(data) as { do: string }).do;
      const view = new DataView(data);
      if (view.getUint8(0) === 2) return `frame ${view.getFloat64(8, true)}`;
      return `${view.getUint16(2, true)} to ${view.getFloat64(8, true)} as ${view.getUint32(4, true)}`;
    });
  }
}

let wires: Wire[];
let states: LinkState[];
let texts: string[];
let clock: number;
let link: Link;

function wire(): Wire {
  const newest = wires.at(-1);
  if (!newest) throw new Error("nothing was opened");
  return newest;
}

beforeEach(() => {
  vi.useFakeTimers();
  wires = [];
  states = [];
  texts = [];
  clock = 0;
  const events = {
    text: (message: string) => texts.push(message),
    binary: () => undefined,
    state: (state: LinkState) => states.push(state),
  };
  const open = (): Socket => {
    wires.push(new Wire());
    return wire();
  };
  link = new Link(open, events, () => Promise.reject(new Error("no mesh")), () => clock);
  link.start();
});

afterEach(() => vi.useRealTimers());

describe("drags", () => {
  beforeEach(() => wire().onopen?.());

  it("keeps one in flight and only the newest waiting", () => {
    for (let x = 1; x <= 5; x++) link.drag(3, [x, 0, 0], null);
    expect(wire().log).toEqual(["3 to 1 as 1"]);
    clock = 4;
    expect(link.answered(1)).toBe(4);
    expect(wire().log).toEqual(["3 to 1 as 1", "3 to 5 as 2"]);
    expect(link.answered(2)).toBe(0);
    expect(wire().sent).toHaveLength(2);
  });

  it("takes only the answer to the one in flight", () => {
    link.drag(3, [1, 0, 0], null);
    link.drag(3, [2, 0, 0], null);
    expect(link.answered(0)).toBeNull();
    expect(link.answered(7)).toBeNull();
    expect(wire().sent).toHaveLength(1);
  });

  it("keeps the last drag before a drop, and its order", () => {
    link.drag(3, [1, 0, 0], null);
    link.drag(3, [2, 0, 0], null);
    void link.command("drop", {});
    link.drag(4, [9, 0, 0], null);
    expect(wire().log).toEqual(["3 to 1 as 1"]);
    link.answered(1);
    expect(wire().log).toEqual(["3 to 1 as 1", "3 to 2 as 2", "drop"]);
    link.answered(2);
    expect(wire().log.at(-1)).toBe("4 to 9 as 3");
  });

  it("lets two fingers wait beside each other", () => {
    link.drag(1, [0, 0, 0], null);
    for (let x = 1; x <= 3; x++) {
      link.drag(1, [x, 0, 0], null);
      link.drag(2, [10 * x, 0, 0], null);
    }
    link.answered(1);
    link.answered(2);
    link.answered(3);
    expect(wire().log).toEqual(["1 to 0 as 1", "1 to 3 as 2", "2 to 30 as 3"]);
  });

  it("shares the queue and the counter with scrubs", () => {
    link.scrub(1, true);
    link.scrub(2, true);
    link.scrub(3.5, true);
    link.answered(1);
    expect(wire().log).toEqual(["frame 1", "frame 3.5"]);
    link.answered(2);
    link.drag(1, [0, 0, 0], null);
    expect(wire().log.at(-1)).toBe("1 to 0 as 3");
  });
});

describe("commands", () => {
  it("wait for the connection, then go in order with growing ids", () => {
    void link.command("undo", {});
    void link.command("lock", { joint: 2, on: true });
    expect(wire().sent).toEqual([]);
    wire().onopen?.();
    expect(wire().sent).toEqual(['{"id":1,"do":"undo"}', '{"id":2,"do":"lock","joint":2,"on":true}']);
  });

  it("do not wait for a drag in flight when none is queued", () => {
    wire().onopen?.();
    link.drag(1, [0, 0, 0], null);
    void link.command("undo", {});
    expect(wire().log).toEqual(["1 to 0 as 1", "undo"]);
  });

  it("give their replies, and refusals as errors", async () => {
    wire().onopen?.();
    const good = link.command("undo", {});
    const bad = link.command("redo", {});
    link.reply({ id: 2, error: "There is nothing to redo." });
    link.reply({ id: 1, ok: true, pose: 5 });
    await expect(good).resolves.toMatchObject({ pose: 5 });
    await expect(bad).rejects.toThrow("There is nothing to redo.");
  });
});

describe("a connection that breaks", () => {
  it("comes back, each time a little later, up to 5 s", () => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) {
      const opened = wires.length;
      wire().close();
      const begun = Date.now();
      while (wires.length === opened) vi.advanceTimersByTime(10);
      pauses.push(Date.now() - begun);
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
  });

  it("comes back soon again after the server has spoken", () => {
    wire().close();
    vi.advanceTimersByTime(250);
    wire().close();
    vi.advanceTimersByTime(500);
    expect(wires).toHaveLength(3);
    wire().onopen?.();
    wire().onmessage?.({ data: "{}" });
    wire().close();
    vi.advanceTimersByTime(250);
    expect(wires).toHaveLength(4);
    expect(texts).toEqual(["{}"]);
    expect(states.slice(-4)).toEqual(["connecting", "open", "lost", "connecting"]);
  });

  it("refuses what was asked and forgets what waited", async () => {
    wire().onopen?.();
    const asked = link.command("undo", {});
    link.drag(1, [1, 0, 0], null);
    link.drag(1, [2, 0, 0], null);
    const refused = expect(asked).rejects.toThrow("The connection to the server was lost.");
    wire().close();
    await refused;
    vi.advanceTimersByTime(250);
    wire().onopen?.();
    expect(wire().sent).toEqual([]);
    link.drag(1, [3, 0, 0], null);
    expect(wire().log).toEqual(["1 to 3 as 2"]);
  });
});
