// Bytes on the wire, written out by hand from the layout that server and page agree on.

import { describe, expect, it } from "vitest";
import { decode, encodeDrag, encodeScrub, type Pose } from "../../src/net/protocol";

function hex(buffer: ArrayBuffer): string {
  return [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytes(...parts: string[]): ArrayBuffer {
  const digits = parts.join("").replace(/\s/g, "");
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16)).buffer;
}

describe("messages that go out", () => {
  it("has a drag in 64 bytes", () => {
    const message = encodeDrag(0x01020304, 7, [1, -2, 0.5], [1, 0, 0, -1]);
    expect(hex(message)).toBe(
      "01" + "03" + "0700" + "04030201" +
        "000000000000f03f" + "00000000000000c0" + "000000000000e03f" +
        "000000000000f03f" + "0000000000000000" + "0000000000000000" + "000000000000f0bf",
    );
  });

  it("flags what a drag leaves alone", () => {
    expect(hex(encodeDrag(1, 300, [0, 0, 0], null)).slice(0, 16)).toBe("01012c0101000000");
    expect(hex(encodeDrag(2, 300, null, [1, 0, 0, 0])).slice(0, 16)).toBe("01022c0102000000");
  });

  it("has a scrub in 16 bytes", () => {
    expect(hex(encodeScrub(9, 12.5, true))).toBe("02" + "01" + "0000" + "09000000" + "0000000000002940");
    expect(hex(encodeScrub(9, 12.5, false)).slice(0, 4)).toBe("0200");
  });
});

// One joint, two coordinates, one goal without orientation, one limit, a ghost, and "né".
const POSE = bytes(
  "01 01 0100 2a000000 0100 0200 0100 01 02",
  "0000003f 00004041 11000000 0300 0900",
  "0000803f 00000040 00004040", // position 1 2 3
  "0000803f 00000000 00000000 00000000", // w x y z
  "0000003f 000000bf", // q
  "0000a040 0000803e 0000c07f 00000000", // effector 5, 0.25 short, no angle, not reached
  "0000803f 0000803f 0000803f 0000c07f 0000c07f 0000c07f 0000c07f",
  "00000000 0000803f 0000803f 0000803f", // joint 0, coordinate 1, upper, all of it
  "00000041 00001041 00002041 00000000 0000803f 00000000 00000000 0000c03f 0000803f",
  "6ec3a9",
);

describe("poses that come in", () => {
  const said = decode(POSE) as { pose: Pose };

  it("reads the head", () => {
    const { status, isFollowing, isStuck, sequence, ms, frame, revision, iterations, why } = said.pose;
    expect({ status, isFollowing, isStuck, sequence, ms, frame, revision, iterations, why }).toEqual({
      status: "limited", isFollowing: false, isStuck: true, sequence: 42, ms: 0.5, frame: 12, revision: 17, iterations: 9, why: "né",
    });
  });

  it("reads joints and coordinates", () => {
    expect([...said.pose.positions]).toEqual([1, 2, 3]);
    expect([...said.pose.wxyz]).toEqual([1, 0, 0, 0]);
    expect([...said.pose.q]).toEqual([0.5, -0.5]);
  });

  it("reads goals, limits and the ghost", () => {
    expect(said.pose.goals).toEqual([
      { effector: 5, length: 0.25, angle: NaN, ok: false, position: [1, 1, 1], wxyz: null },
    ]);
    expect(said.pose.limits).toEqual([{ joint: 0, coordinate: 1, side: 1, share: 1 }]);
    expect([...(said.pose.ghost?.positions ?? [])]).toEqual([8, 9, 10]);
    expect([...(said.pose.ghost?.wxyz ?? [])]).toEqual([0, 1, 0, 0]);
    expect(said.pose.ghost).toMatchObject({ ms: 1.5, ok: true });
  });

  it("refuses what is cut short, too long or unknown", () => {
    expect(() => decode(POSE.slice(0, 60))).toThrow("ends before its numbers do");
    expect(() => decode(POSE.slice(0, -1))).toThrow("should have 167 bytes and has 166");
    expect(() => decode(bytes("07 00"))).toThrow("unknown kind 7");
  });

  it("reads onion skins", () => {
    const floats = "0000803f 00000040 00004040 0000803f 00000000 00000000 00000000";
    const said = decode(bytes("02 00 0200 05000000 0100 0000 00004040 00008040", floats, floats.replace("0000803f", "00000041")));
    if (!("frames" in said)) throw new Error("no frames");
    expect(said.frames.command).toBe(5);
    expect(said.frames.frames.map(({ frame }) => frame)).toEqual([3, 4]);
    expect(said.frames.frames.map(({ positions }) => positions[0])).toEqual([1, 8]);
  });
});
