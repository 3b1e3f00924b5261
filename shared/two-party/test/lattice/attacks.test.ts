/**
 * A data user that deviates: each attack works where one protection is left out, and fails with it.
 *
 * @claims S-726, S-728
 */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { cspPlaces } from '../../src/lattice/packing.ts';
import { inverseOf } from '../../src/lattice/primes.ts';
import { residuesOf } from '../../src/lattice/residues.ts';
import { publicPolynomial, ternary } from '../../src/lattice/samplers.ts';
import { drawError, drawSecret, type Lanes, type Secret, sampleOf } from '../../src/lattice/samples.ts';
import {
  a,
  answered,
  classes,
  doubled,
  factor,
  honest,
  packing,
  proven,
  put,
  random,
  read,
  ring,
  size,
} from './attacking.ts';

describe('a data user that deviates', () => {
  it('reads u digit by digit with a key of its choice, which no proof is of', () => {
    // With s = 0 an opened answer is c0 itself: 2u times the key, and a flood.
    const step = ring.modulus >> 40n;
    const digits = 12;
    const key = ring.polynomial();
    for (let j = 0; j < digits; j += 1) put(key, classes * j, step * 3n ** BigInt(j));
    const nothing = ring.polynomial();
    const zero = { small: ring.small(), form: ring.polynomial() };
    const { bytes } = answered(key, nothing, doubled, 'answer');
    const u = ring.small();
    ternary(ring, u, predictableRandomness('answer'));
    const unit = 1n << BigInt(size.ringBits - 40);
    let right = 0;
    const results = read(zero, bytes);
    for (const { coefficient, value } of results) {
      let rest = (value + (value < 0n ? -unit : unit)) / (2n * unit);
      for (let j = 0; j < digits; j += 1) {
        const digit = ((((rest + 1n) % 3n) + 3n) % 3n) - 1n;
        rest = (rest - digit) / 3n;
        const from = coefficient - classes * j;
        const sign = from < 0 ? -1 : 1;
        const entry = ring.entries(u)[(from + ring.degree) % ring.degree]! * sign;
        right += Number(entry === Number(digit));
      }
    }
    expect(right).toBe(digits * results.length);
    // With the proof: it has no short secret to show.
    expect(proven({ secret: zero, errors: [ring.small(), ring.small()] }, [key, nothing])).toBe(false);
  });

  it('adds rows to each other with a ciphertext that fills another class, which no proof is of', () => {
    const user = honest();
    const unit = ring.modulus >> BigInt(size.ringBits + 1);
    const filled = ring.copy(user.sent);
    const last = classes * (packing.chunk - 1);
    // The identity's last row in class 0 and, a thousand times as large, in class 1.
    put(filled, last, unit);
    put(filled, last + 1, 2n ** 50n * unit);
    const { bytes } = answered(user.key, filled, doubled, 'answer');
    const inner = cspPlaces(packing, 0, 0).filter(({ coefficient }) => coefficient < classes);
    expect(inner.length).toBe(Math.min(classes, size.rows));
    for (const { row, column, value } of read(user.secret, bytes)) {
      if (column !== 0 || row === 0) continue;
      const expected = 2n ** 50n * factor[row - 1]![packing.chunk - 1]!;
      expect(Math.abs(Number(value - expected))).toBeLessThan(2 ** 41);
    }
    expect(proven(user, [user.key, user.sent])).toBe(true);
    expect(proven(user, [user.key, filled])).toBe(false);
  });

  it('reads parities of rows through (q − 1)/2 in a whole class, unless the factor is doubled', () => {
    const user = honest();
    const filled = ring.copy(user.sent);
    for (let i = 0; i < ring.degree; i += classes) put(filled, i + 1, (ring.modulus - 1n) / 2n);
    const half = 1n << BigInt(size.ringBits - 1);
    const isFar = (value: bigint) => BigInt.asUintN(size.ringBits, value + half / 2n) >= half;
    const parities = (residues: Lanes) =>
      read(user.secret, answered(user.key, filled, residues, 'answer').bytes)
        .filter(({ row }) => row > 0)
        .map(({ row, column, value }) => ({
          far: isFar(value),
          odd: factor[row - 1]!.reduce((sum, entry) => sum + entry, 0n) % 2n !== 0n,
          column,
        }));
    const single = residuesOf(ring, factor.flat(), size.factorBits + 1);
    const seen = parities(single);
    expect(seen.every(({ far, odd }) => far === odd)).toBe(true);
    expect(seen.some(({ odd }) => odd) && seen.some(({ odd }) => !odd)).toBe(true);
    expect(parities(doubled).some(({ far }) => far)).toBe(false);
  });

  it('sees a row times the difference of two ciphertexts that were answered with the same draws', () => {
    const user = honest();
    const other = ring.copy(user.sent);
    const unit = ring.modulus >> BigInt(size.ringBits + 1);
    put(other, classes * (packing.chunk - 1), unit * 2n ** 40n);
    const difference = (name: string) => {
      const [one, two] = [
        answered(user.key, user.sent, doubled, 'answer', { opening: 'shared' }),
        answered(user.key, other, doubled, name, { opening: 'shared' }),
      ].map(({ bytes }) => read(user.secret, bytes));
      return two!
        .filter(({ column }) => column === 0)
        .map(({ row, value }) => ({
          off: BigInt.asIntN(
            size.ringBits,
            value - one!.find((it) => it.row === row && it.column === 0)!.value,
          ),
          row,
        }));
    };
    const isRow = ({ off, row }: { off: bigint; row: number }) =>
      Math.abs(Number(off - 2n ** 40n * factor[row]![packing.chunk - 1]!)) < 2 ** 41;
    expect(difference('answer').every(isRow)).toBe(true);
    // Draws from all that was received differ with it.
    expect(difference('another').some(isRow)).toBe(false);
  });
});

describe('a CSP that deviates', () => {
  it('solves for the secret of two runs that differ in the public polynomial alone', () => {
    const user = honest();
    const again = publicPolynomial(ring, new Uint8Array(32).fill(4), 'product');
    const recovered = (secret: Secret, error: (typeof user.errors)[number]) => {
      const [one, two] = [ring.copy(user.sent), sampleOf(ring, again, secret, error)];
      ring.forward(one);
      ring.forward(two);
      const q = BigInt(ring.primes[0]!);
      const [x, y, p, r] = [one, two, a, again].map((it) => ring.coefficients(it, 0));
      const form = ring.coefficients(user.secret.form, 0);
      for (let i = 0; i < 64; i += 1) {
        const divisor = BigInt(r![i]! - p![i]!);
        const quotient = (BigInt(x![i]! - y![i]!) * inverseOf(divisor, q)) % q;
        if ((quotient + q) % q !== BigInt(form[i]!)) return false;
      }
      return true;
    };
    // One nonce alone in the draws of the data user: the same secret and error under both.
    expect(recovered(user.secret, user.errors[1]!)).toBe(true);
    expect(recovered(drawSecret(ring, random), drawError(ring, random))).toBe(false);
  });
});
