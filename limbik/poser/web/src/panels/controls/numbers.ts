// Numbers as people read and type them: degrees, lengths in the figure's unit, settings, times.

export const degrees = (radians: number): number => (radians * 180) / Math.PI;
export const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** A number with at most so many decimals, without trailing zeros and without "-0". */
export function show(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "-∞" : "–";
  const text = value.toFixed(decimals).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return text === "-0" ? "0" : text;
}

/** As `show`, for reading only: a real minus sign, and always so many decimals, so that columns
 * of changing numbers do not jump. */
export function steady(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(decimals);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace("-", "−");
}

/** Decimals that resolve a ten-thousandth of a figure of this size: 4 for 1.75 m, 2 for 175 cm. */
export function lengthDecimals(size: number): number {
  if (!(size > 0)) return 4;
  return Math.min(6, Math.max(0, Math.ceil(4 - Math.log10(size))));
}

/** A length for people: "16.4 cm", "0.2 mm"; in other units than metres as it is, and without a
 * unit where that is not known. */
export function showLength(value: number, unit: string, size: number): string {
  if (unit === "m" && Number.isFinite(value)) {
    if (value < 0.00995) return `${steady(value * 1000, 1)} mm`;
    return value < 0.9995 ? `${steady(value * 100, 1)} cm` : `${steady(value, 2)} m`;
  }
  const text = steady(value, lengthDecimals(size));
  return unit ? `${text} ${unit}` : text;
}

/** A setting of a method: short, and exact enough to be read back as the same number. */
export function showSetting(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) {
    const [digits, power] = value.toExponential().split("e") as [string, string];
    return `${Number(Number(digits).toPrecision(7))}e${Number(power)}`;
  }
  return String(Number(value.toPrecision(8)));
}

/** What was typed: a number, null for an empty field, undefined for what is not a number.
 *
 * A comma may be the decimal sign, the minus may be any dash, and a degree sign or the name of a
 * unit may follow. */
export function parseNumber(typed: string): number | null | undefined {
  const text = typed
    .trim()
    .replace(/[−–]/g, "-")
    .replace(/\s*(°|deg|mm|cm|m|in|ft)$/i, "")
    .replace(",", ".");
  if (text === "" || text === "∞" || text === "-∞") return null;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Milliseconds, with decimals where they matter. */
export function showMs(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  return ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : ms.toFixed(0);
}

/** A file's size in words. */
export function showBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  if (bytes < 1e6) return `${show(bytes / 1e3, 0)} kB`;
  return `${show(bytes / 1e6, bytes < 1e7 ? 1 : 0)} MB`;
}
