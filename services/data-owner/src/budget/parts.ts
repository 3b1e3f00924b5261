/**
 * Parts of a whole, which is what all tasks together may take of the rows of a data set. Fractions are exact:
 * three thirds are a whole.
 */
import { z } from 'zod';

/** A fraction as ledgers have it and people write it: 1/2, 0, 1. */
export const Part = z
  .string()
  .regex(/^\d{1,400}(?:\/[1-9]\d{0,399})?$/, 'expected a fraction of whole numbers, such as 1/2');
export type Part = z.infer<typeof Part>;

/** A part that is not a fraction by itself is rounded up to a multiple of 1/UNITS. */
const UNITS = 2 ** 20;

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Returns value/parts, or slightly more. */
export function roundedPart(value: number, parts: number): Part {
  const units = BigInt(Math.ceil(value * UNITS));
  return written({ numerator: units, denominator: BigInt(UNITS) * BigInt(parts) });
}

export function sumOfParts(parts: readonly Part[]): Part {
  return written(
    parts.map(read).reduce(
      (sum, part) => ({
        numerator: sum.numerator * part.denominator + part.numerator * sum.denominator,
        denominator: sum.denominator * part.denominator,
      }),
      { numerator: 0n, denominator: 1n },
    ),
  );
}

/** Returns what is left of this number of wholes; 0 where more was taken. */
export function leftOfWholes(wholes: number, taken: Part): Part {
  const { numerator, denominator } = read(taken);
  const left = BigInt(wholes) * denominator - numerator;
  return written({ numerator: left > 0n ? left : 0n, denominator });
}

export function isMore(one: Part, other: Part): boolean {
  const [a, b] = [read(one), read(other)];
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

/**
 * Returns the smallest `releases` that a task must declare to take no more than this part; undefined when the
 * part is 0.
 */
export function releasesFor(part: Part): number | undefined {
  const { numerator, denominator } = read(part);
  return numerator === 0n ? undefined : Number((denominator + numerator - 1n) / numerator);
}

/**
 * Writes a part for people: as a fraction if it has few digits, otherwise by a short fraction near it, or as a
 * decimal number. It says on which side of the fraction the part is, since that decides what still fits.
 */
export function partInWords(part: Part): string {
  const { numerator, denominator } = read(part);
  if (denominator <= 1000n) return written({ numerator, denominator });
  const value = Number((numerator * 10n ** 12n) / denominator) / 1e12;
  for (let parts = 1; parts <= 10; parts++) {
    const near = Math.round(value * parts);
    if (Math.abs(value - near / parts) >= NEAR) continue;
    if (near === 0) return `less than ${NEAR}`;
    const fraction = written({ numerator: BigInt(near), denominator: BigInt(parts) });
    return `a little ${isMore(part, fraction) ? 'more' : 'less'} than ${fraction}`;
  }
  return `about ${Number(value.toPrecision(3))}`;
}

/** A part that is closer to a short fraction than this is written by it. */
const NEAR = 0.001;

function read(part: Part): Fraction {
  const [numerator = '', denominator = '1'] = part.split('/');
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

function written({ numerator, denominator }: Fraction): Part {
  const common = divisor(numerator, denominator);
  const [top, bottom] = [numerator / common, denominator / common];
  return bottom === 1n ? `${top}` : `${top}/${bottom}`;
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
