/** Numbers, sizes and times in words, and round numbers for an axis. All times are UTC, in which tasks are written. */

/** Numbers, sizes and times in words. All times are UTC, in which tasks are written. */

const NUMBER = new Intl.NumberFormat('en');

/** Returns a number as `12,345`, with at most three digits after the point. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** Returns `1 contribution` or `12 contributions`. */
export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${number(amount)} ${amount === 1 ? singular : plural}`;
}

/** An ordinary word; symbols such as ρ, addresses and names of files are none. */
const WORD = /^(?:a|\p{Ll}[\p{Ll}’'-]+)(?=[,.:;]?(?:\s|$))/u;

/** Returns the text with a capital letter at its beginning, for a sentence, where it begins with a word. */
export function capital(text: string): string {
  return WORD.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

/** Returns a size as `1.5 MB`, in powers of 1000. */
export function bytes(amount: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = amount < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(amount) / 3));
  const scaled = amount / 1000 ** power;
  return `${scaled.toLocaleString('en', { maximumFractionDigits: scaled < 10 && power > 0 ? 1 : 0 })} ${units[power]}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const;

/**
 * Returns `2 days 3 hours`, `40 seconds`, `1.5 seconds` or `120 ms`: two units at most, the second one only
 * where it matters.
 */
export function duration(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10 * SECOND) return count(Math.round(milliseconds / 100) / 10, 'second');
  // The duration is rounded before it is split into units, so that 59.9 seconds become a minute.
  const step = milliseconds < HOUR ? SECOND : milliseconds < DAY ? MINUTE : HOUR;
  const rounded = Math.round(milliseconds / step) * step;
  const first = UNITS.findIndex(([, unit]) => rounded >= unit);
  const [name, unit] = UNITS[first]!;
  const whole = Math.floor(rounded / unit);
  const [nextName, nextUnit] = UNITS[first + 1] ?? UNITS[first]!;
  const rest = Math.floor((rounded % unit) / nextUnit);
  return rest === 0 || whole >= 10 ? count(whole, name) : `${count(whole, name)} ${count(rest, nextName)}`;
}

/** Returns `in 3 days`, `2 hours ago` or `now`, from one moment to another. */
export function fromNow(moment: Date, now: Date): string {
  const milliseconds = moment.getTime() - now.getTime();
  const seconds = Math.round(Math.abs(milliseconds) / SECOND);
  if (seconds === 0) return 'now';
  const words = duration(seconds * SECOND);
  return milliseconds > 0 ? `in ${words}` : `${words} ago`;
}

/** Returns a moment as `2031-01-01 00:00:00 UTC`. */
export function exactTime(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

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
