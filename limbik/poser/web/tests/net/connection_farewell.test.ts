// A session that is closed on purpose is not fetched back; a lost one is.

import { expect, it, vi } from "vitest";
import { Link, type LinkState, type Socket } from "../../src/net/connection";

it.each([
  [4001, "elsewhere", 1],
  [4002, "ended", 1],
  [1006, "connecting", 2], // lost, and trying again
] as const)("after code %i the link is %s", (code, last, attempts) => {
  vi.useFakeTimers();
  const sockets: Socket[] = [];
  const states: LinkState[] = [];
  const connect = (): Socket => {
    const socket: Socket = {
      binaryType: "", send: () => undefined, close: () => undefined, onopen: null, onmessage: null, onclose: null,
    };
    sockets.push(socket);
    return socket;
  };
  const reasons: (string | undefined)[] = [];
  const events = {
    text: () => undefined,
    binary: () => undefined,
    state: (state: LinkState, reason?: string) => {
      states.push(state);
      reasons.push(reason);
    },
  };
  new Link(connect, events, () => Promise.reject(new Error("no mesh"))).start();
  sockets[0]!.onopen?.();
  sockets[0]!.onclose?.({ code, reason: "Why it ended." });
  vi.advanceTimersByTime(60_000);
  expect(states.at(-1)).toBe(last);
  expect(sockets.length).toBe(attempts);
  expect(reasons[2]).toBe("Why it ended.");
  vi.useRealTimers();
});
