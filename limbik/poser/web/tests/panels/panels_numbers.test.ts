// Numbers as people read and type them.

import { describe, expect, it } from "vitest";
import {
  degrees, lengthDecimals, parseNumber, radians, show, showBytes, showLength, showMs, showSetting, steady,
} from "../../src/panels/controls/numbers";

describe("show", () => {
  it("drops trailing zeros, keeps whole tens, and has no minus zero", () => {
    expect(show(1.5, 2)).toBe("1.5");
    expect(show(100, 0)).toBe("100");
    expect(show(100, 2)).toBe("100");
    expect(show(-0.004, 2)).toBe("0");
    expect(show(-12.345, 1)).toBe("-12.3");
    expect(show(Infinity, 1)).toBe("∞");
  });
  it("is steady where columns must not jump", () => {
    expect(steady(1.5, 2)).toBe("1.50");
    expect(steady(-0.001, 2)).toBe("0.00");
    expect(steady(-1, 1)).toBe("−1.0");
    expect(steady(NaN, 1)).toBe("–");
  });
});

describe("lengths", () => {
  it("resolve a ten-thousandth of the figure, whatever its unit", () => {
    expect(lengthDecimals(1.75)).toBe(4);
    expect(lengthDecimals(175)).toBe(2);
    expect(lengthDecimals(1750)).toBe(1);
    expect(lengthDecimals(1e6)).toBe(0);
    expect(lengthDecimals(0)).toBe(4);
  });
  it("are written with the unit, where it is known", () => {
    expect(showLength(0.1639, "m", 1.75)).toBe("16.4 cm");
    expect(showLength(0.00994, "m", 1.75)).toBe("9.9 mm");
    expect(showLength(0.00996, "m", 1.75)).toBe("1.0 cm");
    expect(showLength(0, "m", 1.75)).toBe("0.0 mm");
    expect(showLength(1.234, "m", 1.75)).toBe("1.23 m");
    expect(showLength(1.234, "cm", 175)).toBe("1.23 cm");
    expect(showLength(1.234, "", 175)).toBe("1.23");
  });
});

describe("parseNumber", () => {
  it("reads what people type", () => {
    expect(parseNumber(" 45° ")).toBe(45);
    expect(parseNumber("1,5")).toBe(1.5);
    expect(parseNumber("−30")).toBe(-30);
    expect(parseNumber("1e-6")).toBe(1e-6);
    expect(parseNumber(".5 m")).toBe(0.5);
    expect(parseNumber("12 mm")).toBe(12);
  });
  it("tells nothing from nonsense", () => {
    expect(parseNumber("")).toBeNull();
    expect(parseNumber("∞")).toBeNull();
    for (const text of ["abc", "1.2.3", "--1", "1,2,3", "0x10", "1e999", "Infinity", "NaN"]) {
      expect(parseNumber(text), text).toBeUndefined();
    }
  });
  it("reads back every setting as the same number", () => {
    for (const value of [1e-4, 1e-6, 5e-6, 0.1, 0.7853981633974483, 1000, 0, -2.5, 1.5e7, 1e-11]) {
      expect(parseNumber(showSetting(value))! / (value || 1)).toBeCloseTo(value ? 1 : 0, 6);
    }
    expect(showSetting(1e-6)).toBe("1e-6");
    expect(showSetting(5e-6)).toBe("5e-6");
    expect(showSetting(0.1)).toBe("0.1");
    expect(showSetting(200)).toBe("200");
  });
});

it("turns degrees into radians and back", () => {
  expect(radians(180)).toBeCloseTo(Math.PI, 15);
  expect(degrees(radians(-37.5))).toBeCloseTo(-37.5, 12);
});

it("writes times and sizes", () => {
  expect([0.4321, 12.34, 321.4, NaN].map(showMs)).toEqual(["0.43", "12.3", "321", "–"]);
  expect([900, 2048, 1.5e6, 200e6].map(showBytes)).toEqual(["900 bytes", "2 kB", "1.5 MB", "200 MB"]);
});
