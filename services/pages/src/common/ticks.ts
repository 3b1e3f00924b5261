/** Round numbers for the marks of an axis. */

/**
 * Returns about `count` marks within [from, to], at multiples of 1, 2 or 5 times a power of ten, with enough
 * digits to distinguish them.
 * @param from less than `to`
 */
export function ticksOf(
  from: number,
  to: number,
  count: number,
): { readonly value: number; readonly text: string }[] {
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((it) => it >= rough * (1 - 1e-9))!;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const value = (first + i) * step;
    const large = Math.abs(value) >= 1e6 || (digits > 6 && value !== 0);
    return { value, text: large ? value.toExponential(1) : (value + 0).toFixed(Math.min(digits, 20)) };
  });
}
