/** More attacks by a data user that deviates: on what is opened, on what is drawn, and on how a proof is made. */
import { createHash } from 'node:crypto';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { factorResidues, messageOf, type Opening } from '../../src/lattice/answers.ts';
import { publicsOf } from '../../src/lattice/messages.ts';
import { packingOf } from '../../src/lattice/packing.ts';
import { inverseOf } from '../../src/lattice/primes.ts';
import { type Claim, verify } from '../../src/lattice/proof.ts';
import type { Polynomial, Ring } from '../../src/lattice/ring.ts';
import { binomial, ternary } from '../../src/lattice/samplers.ts';
import { insideLanes, sampleOf } from '../../src/lattice/samples.ts';
import type { SizedProduct } from '../../src/lattice/sizes.ts';
import { insideOf } from '../../src/lattice/words.ts';
import {
  a,
  aKey,
  answered,
  classes,
  doubled,
  factor,
  honest,
  number,
  plan,
  product,
  put,
  random,
  read,
  ring,
  seed,
  size,
  statement,
} from './attacking.ts';
import { encoded, exponentsOf, hashed, lifted, opened, sum, turned, uniform } from './forging.ts';

/** Σ Y^i: (q − 1)/2 times it is not short, but twice that is. */
const ones = new Int32Array(ring.degree).map((_, i) => Number(i % classes === 0));

/** Returns (q − 1)/2·Σ Y^i. */
function halves(): Polynomial {
  const polynomial = ring.polynomial();
  for (let i = 0; i < ring.degree; i += classes) put(polynomial, i, (ring.modulus - 1n) / 2n);
  return polynomial;
}

/**
 * Returns a key and a ciphertext of zero with (q − 1)/2·Σ Y^i beside the secret, or beside the key's error, and whether a proof holds
 * that they are well formed.
 */
function halved(where: 'secret' | 'error') {
  const { secret, errors } = honest();
  const shift = halves();
  const form = ring.copy(secret.form);
  const beside = ring.copy(shift);
  ring.forward(beside);
  if (where === 'secret') ring.add(form, beside);
  const publics = [aKey, a];
  const sent = publics.map((one, i) => sampleOf(ring, one, { form }, errors[i]!));
  if (where === 'error') ring.add(sent[0]!, shift);
  const claim: Claim = { statement, publics, context: seed };
  // The same is beside the masks: it goes from z, and to z1.
  const moved =
    where === 'secret'
      ? publics.map((one) => sampleOf(ring, one, { form: beside }, ring.small()))
      : [shift, ring.polynomial()];
  const hash = createHash('sha256').update(claim.context);
  const masks = Array.from({ length: statement.repetitions }, () => {
    const drawn = [statement.secretMaskBits, ...errors.map(() => statement.errorMaskBits)].map((bits) =>
      uniform(ring, bits - 1, random),
    );
    hashed(hash, opened(ring, { publics, sent: moved }, drawn, classes, 0));
    return drawn;
  });
  const digest = hash.digest();
  const exponents = exponentsOf(statement, digest, statement.repetitions);
  const shorts = [secret.small, ...errors].map((small) => ring.entries(small).slice());
  const answers = masks.map((drawn, r) => {
    const exponent = exponents[r]!;
    // (q − 1)/2·(Y^c − 1)·Σ Y^i is (1 − Y^c)·Σ Y^i/2 modulo q, whose coefficients are 0 and 1.
    const rest = sum(ones, turned(ones, exponent), -1).map((entry) => entry / 2);
    return drawn.map((mask, i) => {
      const sign = i === 0 ? 1 : -1;
      const answer = sum(mask, turned(shorts[i]!, exponent), sign);
      return i === (where === 'secret' ? 0 : 1) ? sum(answer, rest, sign) : answer;
    });
  });
  const isProven = verify(ring, claim, [sent], encoded(statement, digest, answers));
  return { form, key: sent[0]!, sent: sent[1]!, isProven };
}

/** Returns the u and e1 that an answer of this name draws. */
function drawsOf(name: string) {
  const draws = predictableRandomness(name);
  const [u, e1] = [ring.small(), ring.small()];
  ternary(ring, u, draws);
  binomial(ring, e1, draws);
  return [u, e1].map((small) => ring.entries(small).slice());
}

/** Returns whether the sum of the entries in a coefficient's class is odd. */
function isOddIn(entries: Int32Array, coefficient: number): boolean {
  const own = entries.filter((_, i) => i % classes === coefficient % classes);
  return own.reduce((total, entry) => total + entry, 0) % 2 !== 0;
}

/** Returns half of a polynomial modulo q. */
function halfOf(polynomial: Polynomial): Polynomial {
  const half = ring.copy(polynomial);
  for (const [limb, prime] of ring.primes.entries()) {
    const words = ring.coefficients(half, limb);
    for (let i = 0; i < words.length; i += 1) words[i] = (words[i]! + (words[i]! % 2) * prime) / 2;
  }
  return half;
}

/** Returns a mask that is narrower than the ring: it does not hide (q − 1)/2. */
const narrow = () => BigInt.asUintN(60, number(60));
const isFar = ({ value }: { readonly value: bigint }) => Math.abs(Number(value)) > 2 ** (size.ringBits - 2);
const NAMES = ['one', 'two', 'three', 'four'];

/** Returns the integer in [0, q) with the residues of a coefficient. */
function coefficient({ primes, modulus }: Ring, polynomial: Polynomial, at: number): bigint {
  const total = primes.reduce((all, prime, limb) => {
    const [q, rest] = [BigInt(prime), modulus / BigInt(prime)];
    return all + BigInt(ring.coefficients(polynomial, limb)[at]!) * rest * inverseOf(rest % q, q);
  }, 0n);
  return total % modulus;
}

/** Returns the integer next to a fraction. */
const rounded = (above: bigint, below: bigint): bigint => {
  const sign = below < 0n ? -1n : 1n;
  const [n, d] = [2n * sign * above + sign * below, 2n * sign * below];
  return n >= 0n ? n / d : -((d - 1n - n) / d);
};

/**
 * Returns an x of 30 bits for which x·by is within `most` of `target` modulo q, if there is one: it is in the nearest vector of a lattice
 * of dimension two, which Lagrange's reduction finds.
 */
function multiplier(by: bigint, target: bigint, most: bigint): bigint | undefined {
  const q = ring.modulus;
  const weight = most >> 29n;
  let short: readonly [bigint, bigint] = [weight, by % q];
  let long: readonly [bigint, bigint] = [0n, q];
  for (;;) {
    const times = rounded(short[0] * long[0] + short[1] * long[1], short[0] ** 2n + short[1] ** 2n);
    if (times === 0n) break;
    [short, long] = [[long[0] - times * short[0], long[1] - times * short[1]], short];
  }
  const determinant = short[0] * long[1] - short[1] * long[0];
  const x =
    (rounded(-target * long[0], determinant) * short[0] + rounded(target * short[0], determinant) * long[0]) /
    weight;
  const off = (((x * by - target) % q) + q) % q;
  return (off < most || q - off < most) && BigInt.asIntN(30, x) === x ? x : undefined;
}

/** Returns a secret and a key of an honest data user, and its ciphertext of a factor. */
function encrypted(columns: bigint[][]) {
  const user = honest();
  const lanes = insideLanes(ring, user.sent, classes);
  const message = messageOf(ring, product, lanes, columns, 0, 0);
  ring.read(user.sent, message, ring.limbs, insideOf(ring.degree, classes));
  return user;
}

describe('a data user that deviates', () => {
  it('reads parities of e1 through (q − 1)/2 beside its secret, which a proof is of, unless e1 is doubled', () => {
    const user = halved('secret');
    expect(user.isProven).toBe(true);
    // No prime is dropped: the argument lets a data user have all of c1, and what is dropped has parities of its own.
    const whole = { ...product, down: product.up };
    const seen = NAMES.flatMap((name) => {
      const { bytes } = answered(user.key, user.sent, doubled, name, { product: whole, opening: narrow });
      expect(read(user, bytes, whole).some(isFar)).toBe(false);
      // Less e1, an answer is one whose e1 has not been doubled.
      const e1 = drawsOf(name)[1]!;
      const less = e1.map((entry) => -entry);
      const c1 = ring.polynomial();
      const length = ring.bytes(c1).length;
      ring.read(c1, bytes.subarray(0, length));
      ring.add(c1, lifted(ring, less));
      const single = Buffer.concat([ring.bytes(c1), bytes.subarray(length)]);
      return read(user, single, whole).map((one) => ({
        far: isFar(one),
        odd: isOddIn(e1, one.coefficient),
      }));
    });
    expect(seen.every(({ far, odd }) => far === odd)).toBe(true);
    expect(new Set(seen.map(({ odd }) => odd)).size).toBe(2);
  });

  it('reads parities of u through (q − 1)/2 beside its key’s error, which a proof is of, unless u is doubled', () => {
    const user = halved('error');
    expect(user.isProven).toBe(true);
    // An answer with 2u for half of a key and of a′ is one with u for them.
    const [key, publicKey] = [halfOf(user.key), halfOf(aKey)];
    const seen = NAMES.flatMap((name) => {
      const real = answered(user.key, user.sent, doubled, name, { opening: narrow });
      expect(read(user, real.bytes).some(isFar)).toBe(false);
      const { bytes } = answered(key, user.sent, doubled, name, { publicKey, opening: narrow });
      const u = drawsOf(name)[0]!;
      return read(user, bytes).map((one) => ({ far: isFar(one), odd: isOddIn(u, one.coefficient) }));
    });
    expect(seen.every(({ far, odd }) => far === odd)).toBe(true);
    expect(new Set(seen.map(({ odd }) => odd)).size).toBe(2);
  });

  it('reads rows of a symmetric product’s factor, if places below the diagonal have no mask', () => {
    // Column j of its factor holds two known units: a place of row i has entries 2j and 2j + 1 of that row, 30 bits apart.
    const columns = Array.from({ length: 16 }, (_, row) =>
      Array.from({ length: 16 }, (__, column) =>
        row >> 1 === column ? 2n ** (row % 2 === 0 ? 40n : 70n) : 0n,
      ),
    );
    const sides = { rows: 16, inner: 16, columns: 16 };
    const upper: SizedProduct = {
      ...{ ...product, part: 'upper' },
      packing: packingOf({ ...sides, part: 'upper' }, ring.degree, classes),
    };
    const user = encrypted(columns);
    const masks = new Map<string, bigint>();
    const masked: Opening = ({ row, column }) => {
      const mask = number(100);
      masks.set(`${row} ${column}`, mask);
      return mask;
    };
    const entriesOf = (bytes: Uint8Array, of: SizedProduct) => {
      const rows = Array.from({ length: 16 }, () => new Array<bigint | undefined>(16).fill(undefined));
      const results = read(user.secret, bytes, of).filter(({ column }) => column < 8);
      for (const { row, column, value } of results) {
        const low = BigInt.asIntN(30, (value + 2n ** 39n) >> 40n);
        rows[row]![2 * column] = low;
        rows[row]![2 * column + 1] = BigInt.asIntN(30, (value - low * 2n ** 40n + 2n ** 69n) >> 70n);
      }
      return rows;
    };
    const all = answered(user.key, user.sent, doubled, 'answer', {
      opening: (place) => (place.column < place.row ? 0n : masked(place)),
    });
    // The eighth row has seven places below the diagonal: 14 of its 16 entries.
    expect(entriesOf(all.bytes, product)[7]!.slice(0, 14)).toEqual(factor[7]!.slice(0, 14));
    masks.clear();
    const real = answered(user.key, user.sent, doubled, 'answer', { opening: masked, product: upper });
    expect(real.places.every(({ row, column }) => column >= row)).toBe(true);
    expect(real.places.length).toBe(masks.size);
    const seen = entriesOf(real.bytes, upper);
    expect(seen.flat().filter((entry) => entry !== undefined).length).toBeGreaterThan(0);
    for (const [i, row] of seen.entries()) {
      for (const [j, entry] of row.entries()) expect(entry).not.toBe(factor[i]![j]);
    }
  });

  it('reads high digits of results that stay shared, if shares are not drawn from all of q', () => {
    const columns = Array.from({ length: 16 }, (_, row) =>
      Array.from({ length: 16 }, (__, column) => (row === column ? 2n ** 70n : 0n)),
    );
    const user = encrypted(columns);
    const share = predictableRandomness('shares');
    // A result that is opened with −ς in it is one that stays shared under ς.
    const below = () =>
      -BigInt.asUintN(size.ringBits - 20, BigInt(`0x${Buffer.from(share(16)).toString('hex')}`));
    const top = (value: bigint) => value >> BigInt(size.ringBits - 16);
    const results = (opening: Opening | 'shared') =>
      read(user.secret, answered(user.key, user.sent, doubled, 'answer', { opening }).bytes).map(
        ({ row, column, value }) => {
          const exact = 2n ** 70n * factor[row]![column]!;
          const off = top(value) - top(exact);
          return { isSign: value < 0n === exact < 0n, isTop: off === 0n || off === -1n };
        },
      );
    const seen = results(below);
    expect(seen.every(({ isTop }) => isTop)).toBe(true);
    expect(seen.every(({ isSign }) => isSign)).toBe(true);
    const real = results('shared');
    // Chance gives 128 of 256 signs, with a deviation of 8, and none of the digits.
    expect(real.filter(({ isTop }) => isTop).length).toBeLessThan(3);
    expect(Math.abs(real.filter(({ isSign }) => isSign).length - real.length / 2)).toBeLessThan(40);
  });

  it('solves an answer for a number of the CSP, if it chooses a′', () => {
    const sides = { rows: 1, inner: 1, columns: 1, part: 'whole' } as const;
    const single: SizedProduct = { ...product, ...sides, packing: packingOf(sides, ring.degree, classes) };
    const secretNumber = factor[0]![0]!;
    const residues = factorResidues(ring, single, [[secretNumber]]);
    const plain = ring.polynomial();
    const one = lifted(
      ring,
      ones.map((_, i) => Number(i === 0)),
    );
    ring.forward(one);
    ring.multiplyAdd(plain, a, one);
    ring.inverse(plain);
    const dropped = ring.modulus / ring.prefix(product.down).modulus;
    const solved = (publicKey: Polynomial) => {
      const user = honest();
      const key = sampleOf(ring, publicKey, user.secret, user.errors[0]!);
      const { bytes } = answered(key, user.sent, residues, 'answer', {
        ...{ opening: 'shared', product: single, publicKey },
      });
      const down = ring.prefix(product.down);
      const c1 = ring.polynomial();
      down.read(c1, bytes.subarray(0, down.bytes(c1).length));
      // c1 is 2·number·a_k and an error; what is dropped rounds it.
      const [x, ...more] = Array.from({ length: 8 }, (_, i) =>
        multiplier(2n * coefficient(ring, plain, i), coefficient(down, c1, i) * dropped, 2n * dropped),
      );
      return more.every((other) => other === x) ? x : undefined;
    };
    expect(solved(ring.polynomial())).toBe(secretNumber);
    expect(solved(one)).toBe(secretNumber);
    // With a′ from both nonces: whatever the data user's nonce is.
    for (let nonce = 0; nonce < 4; nonce += 1) {
      const both = createHash('sha256').update(seed).update(Uint8Array.of(nonce)).digest();
      const { keys } = publicsOf(plan, new Map([[ring.degree, ring]]), both);
      expect(solved(keys.get(ring.degree)!)).toBe(undefined);
    }
  });
});
