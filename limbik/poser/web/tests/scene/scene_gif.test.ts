// GIF files: codes that a decoder reads back, and a palette that keeps the colours there are.

import { describe, expect, it } from "vitest";
import { gifOf, lzw, paletteOf } from "../../src/scene/pictures/gif";

/** The indices in LZW data, read as GIF89a says. */
function decoded(data: Uint8Array): number[] {
  const bytes: number[] = [];
  for (let at = 1; data[at]; at += data[at]! + 1) bytes.push(...data.subarray(at + 1, at + 1 + data[at]!));
  const out: number[] = [];
  let [table, width, bit]: [number[][], number, number] = [[], 9, 0];
  const fresh = (): number[][] => [...Array.from({ length: 256 }, (_, i) => [i]), [], []];
  let before: number[] | null = null;
  for (;;) {
    let code = 0;
    for (let k = 0; k < width; k++, bit++) code |= ((bytes[bit >> 3]! >> (bit & 7)) & 1) << k;
    if (code === 257) return out;
    if (code === 256) {
      [table, width, before] = [fresh(), 9, null];
      continue;
    }
    const entry: number[] = table[code] ?? [...before!, before![0]!];
    out.push(...entry);
    if (before && table.length < 4096) table.push([...before, entry[0]!]);
    if (table.length === 1 << width && width < 12) width++;
    before = entry;
  }
}

describe("GIF", () => {
  it("codes are read back, over several clears of the table", () => {
    let seed = 7;
    const noise = Uint8Array.from({ length: 40_000 }, () => {
      seed = (seed * 48271) % 2147483647;
      return (seed >> 12) & 255;
    });
    const flat = new Uint8Array(40_000).fill(9);
    for (const pixels of [noise, flat, Uint8Array.of(3)]) expect(decoded(lzw(pixels))).toEqual([...pixels]);
  });

  it("has the colours of its frames, to within the five bits that are told apart", async () => {
    const counts = new Uint32Array(1 << 15);
    counts[(31 << 10) | (16 << 5)] = 10;
    counts[3] = 5;
    const { colours, index } = paletteOf(counts);
    expect(colours).toHaveLength(6);
    expect(colours.slice(3 * index[3]!, 3 * index[3]! + 3)).toEqual([4, 4, 28]);
    const frame = Uint8ClampedArray.from({ length: 4 * 6 }, (_, i) => (i % 4 === 0 ? 200 : 255));
    const file = new Uint8Array(await gifOf([frame, frame], 3, 2, 8).arrayBuffer());
    expect(new TextDecoder().decode(file.subarray(0, 6))).toBe("GIF89a");
    expect([file[6], file[8], file.at(-1)]).toEqual([3, 2, 0x3b]);
  });
});
