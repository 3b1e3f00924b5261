/** An opened result has the CSP's factor below a unit, where the data user's is a fraction of one; a mask of whole units leaves it to see. */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { expect, it } from 'vitest';
import { answerOf, decrypted, factorResidues, messageOf, type Opening } from '../../src/lattice/answers.ts';
import { latticePlan } from '../../src/lattice/planning.ts';
import { Ring } from '../../src/lattice/ring.ts';
import { publicPolynomial } from '../../src/lattice/samplers.ts';
import { drawError, drawSecret, insideLanes, sampleOf } from '../../src/lattice/samples.ts';
import type { SizedProduct } from '../../src/lattice/sizes.ts';
import { insideOf } from '../../src/lattice/words.ts';

/** The data user's factor is 2^−40 of a unit. */
const BITS = 40;

it('a data user reads the factor below a unit of what is opened, if the mask is of whole units', () => {
  const plan = latticePlan([
    {
      ...{ rows: 16, inner: 16, columns: 16, part: 'whole', ringBits: 100, factorBits: 30, rowBits: 32 },
      ...{ errorBits: -60, junkBits: -60, call: 0 },
    },
  ]);
  // No prime is dropped: the argument lets a data user have all of an answer.
  const product: SizedProduct = { ...plan.products[0]!, down: plan.products[0]!.up };
  const finer: SizedProduct = { ...product, ringBits: product.ringBits + BITS };
  const ring = Ring.of(product.degree, product.up);
  const random = predictableRandomness('fractions');
  const number = (bytes: number) => BigInt(`0x${Buffer.from(random(bytes)).toString('hex')}`);
  const { classes } = product.packing;
  const [aKey, a] = ['key', 'product'].map((label) => publicPolynomial(ring, new Uint8Array(32), label));
  const secret = drawSecret(ring, random);
  const [b, sent] = [aKey!, a!].map((one) => sampleOf(ring, one, secret, drawError(ring, random)));
  const factor = Array.from({ length: 16 }, () => Array.from({ length: 16 }, () => number(3)));
  const identity = factor.map((row, i) => row.map((_, j) => BigInt(i === j)));
  const lanes = insideLanes(ring, sent!, classes);
  const message = messageOf(ring, finer, lanes, identity, 0, 0);
  ring.read(sent!, message, ring.limbs, insideOf(ring.degree, classes));
  ring.forward(b!);
  ring.forward(sent!);
  const received = { key: { a: aKey!, b: b! }, ciphertexts: [{ a: a!, b: sent! }] };
  const at = { block: 0, answer: 0 };
  const read = (opening: Opening, of: SizedProduct) => {
    const residues = factorResidues(ring, of, factor);
    const { bytes } = answerOf(ring, of, residues, received, at, random, opening);
    const { places, values } = decrypted(ring, finer, secret, at, bytes);
    return values.filter((value, i) => {
      const { row, column } = places[i]!;
      return BigInt.asUintN(BITS, value - factor[row]![column]!) <= 1n; // what is below a finer unit rounds either way
    }).length;
  };
  const mask = () => number(12);
  const places = Math.min(classes, 16) * 16;
  // A stand-in of whole units: of a product with finer ones, whose mask is a multiple of 2^40.
  expect(read(() => mask() << BigInt(BITS), finer)).toBe(places);
  expect(read(mask, product)).toBe(0);
});
