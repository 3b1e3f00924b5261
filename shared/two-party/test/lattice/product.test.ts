import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { answerBytes, answerOf, decrypted, factorResidues, messageOf } from '../../src/lattice/answers.ts';
import { latticePlan } from '../../src/lattice/planning.ts';
import { Ring } from '../../src/lattice/ring.ts';
import { publicPolynomial } from '../../src/lattice/samplers.ts';
import { drawError, drawSecret, insideLanes, sampleOf } from '../../src/lattice/samples.ts';
import type { ProductSize } from '../../src/lattice/sizes.ts';
import { insideOf, outsideOf } from '../../src/lattice/words.ts';

const random = predictableRandomness('11');
const integer = (bits: number) =>
  BigInt.asUintN(bits, BigInt(`0x${Buffer.from(random(Math.ceil(bits / 8))).toString('hex')}`));
const matrix = (rows: number, columns: number, entry: () => bigint) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, entry));

/** Both ends of a product in one process; `open` is what the CSP adds where the result is opened. */
function run(size: ProductSize, factor: bigint[][], user: bigint[][], open?: bigint) {
  const product = latticePlan([size]).products[0]!;
  const { packing } = product;
  const ring = Ring.of(product.degree, product.up);
  const seed = new Uint8Array(32).fill(5);
  const secret = drawSecret(ring, random);
  const aKey = publicPolynomial(ring, seed, 'key');
  const bKey = sampleOf(ring, aKey, secret, drawError(ring, random));
  ring.forward(bKey);
  const residues = factorResidues(ring, product, factor);
  const results = matrix(size.rows, size.columns, () => 0n);
  let bytes = 0;
  for (let block = 0; block < packing.blocks; block += 1) {
    const ciphertexts = Array.from({ length: packing.ciphertexts }, (_, k) => {
      const a = publicPolynomial(ring, seed, `${block} ${k}`);
      const sample = sampleOf(ring, a, secret, drawError(ring, random));
      const [inside, outside] = [insideOf, outsideOf].map((words) => words(ring.degree, packing.classes));
      const early = ring.bytes(sample, ring.limbs, outside).slice();
      const late = messageOf(ring, product, insideLanes(ring, sample, packing.classes), user, block, k);
      const b = ring.polynomial();
      ring.read(b, early, ring.limbs, outside);
      ring.read(b, late, ring.limbs, inside);
      ring.forward(b);
      return { a, b };
    });
    for (let answer = 0; answer < packing.answers; answer += 1) {
      const received = { key: { a: aKey, b: bKey }, ciphertexts };
      const opening = open === undefined ? undefined : () => open;
      const made = answerOf(ring, product, residues, received, { block, answer }, random, opening);
      expect(made.bytes.length).toBe(answerBytes(product, made.places.length));
      bytes += made.bytes.length;
      const { places, values } = decrypted(ring, product, secret, { block, answer }, made.bytes);
      for (const [i, { row, column }] of places.entries()) {
        results[row]![column] = BigInt.asUintN(size.ringBits, values[i]! + (made.shares[i] ?? 0n));
      }
    }
  }
  return { results, product, bytes };
}

function exact(size: ProductSize, factor: bigint[][], user: bigint[][]): bigint[][] {
  return factor.map((row) =>
    user[0]!.map((_, y) => {
      const sum = row.reduce((total, entry, j) => total + entry * user[j]![y]!, 0n);
      return BigInt.asUintN(size.ringBits, sum);
    }),
  );
}

const size: ProductSize = {
  ...{ rows: 9, inner: 7, columns: 5, part: 'whole', ringBits: 120, factorBits: 60, rowBits: 62 },
  ...{ errorBits: -45, call: 0 },
};

describe('a secret product', () => {
  it.each([
    ['random', () => integer(60) - (1n << 59n), () => integer(120)],
    ['the largest', () => (1n << 60n) - 1n, () => (1n << 120n) - 1n],
    ['the least, and the middle of the ring', () => 1n - (1n << 60n), () => 1n << 119n],
    ['no', () => 0n, () => integer(120)],
  ])('is exact for %s entries', (_, entry, other) => {
    const factor = matrix(9, 7, entry);
    const user = matrix(7, 5, other);
    expect(run(size, factor, user).results).toEqual(exact(size, factor, user));
  });

  it('has columns in blocks and many answers where they do not fit', () => {
    const wide: ProductSize = { ...size, rows: 40, inner: 1, columns: 40 };
    const factor = matrix(40, 1, () => integer(60));
    const user = matrix(1, 40, () => integer(120));
    expect(run(wide, factor, user).results).toEqual(exact(wide, factor, user));
  });

  it('opens the upper triangle with what the CSP adds, off by less than the flood and an allowed error', () => {
    const square: ProductSize = {
      ...size,
      rows: 6,
      inner: 6,
      columns: 6,
      part: 'upper',
      errorBits: 20,
      junkBits: 20,
    };
    const factor = matrix(6, 6, () => integer(60) - (1n << 59n));
    const user = matrix(6, 6, () => integer(120));
    const { results, product } = run(square, factor, user, 12_345n << 40n);
    expect(product.down).toBeLessThan(product.up);
    const expected = exact(square, factor, user);
    for (let i = 0; i < 6; i += 1) {
      for (let j = 0; j < 6; j += 1) {
        if (j < i) expect(results[i]![j]).toBe(0n);
        else {
          const error = BigInt.asIntN(120, results[i]![j]! - expected[i]![j]! - (12_345n << 40n));
          expect(Math.abs(Number(error))).toBeLessThan(2 ** 20);
        }
      }
    }
  });
});
