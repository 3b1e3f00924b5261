/** A data user of secret products whose key, or whose ciphertext outside class 0, is not of the form that it then proves. */
import { randomBytes } from 'node:crypto';
import type { MessageStream } from '../../src/channel/message-stream.ts';
import { LatticeDataUser } from '../../src/lattice/data-user.ts';
import { LATTICE_MESSAGE, ringsOf } from '../../src/lattice/messages.ts';
import { NONCE_BYTES, seedOf } from '../../src/lattice/opening.ts';
import type { Polynomial, Ring } from '../../src/lattice/ring.ts';
import type { LatticePlan } from '../../src/lattice/sizes.ts';
import { countOf } from '../../src/lattice/words.ts';
import { SEED_BYTES, streamsFrom } from '../../src/oblivious-transfer/randomness.ts';

/** Names what has another form: a key, a ciphertext outside class 0, or nothing. */
export type Malformed = 'key' | 'outside' | 'nothing';

/** An integer of this number of bits less than the modulus is added to a coefficient. */
const LESS_BITS = 20n;

/**
 * As dataUserLattice(), except that an integer is added to a coefficient of one of the keys, or of the ciphertexts. What it proves is of
 * the bytes that it sends, as the CSP has them.
 * @param pick which of so many
 */
export function deviatingLattice(
  stream: MessageStream,
  program: string,
  malformed: Malformed,
  pick: (count: number) => number,
): (plan: LatticePlan) => Promise<LatticeDataUser> {
  const own = randomBytes(NONCE_BYTES);
  stream.write(LATTICE_MESSAGE.nonce, own);
  return async (plan) => {
    await stream.depart();
    const theirs = await stream.read(LATTICE_MESSAGE.nonce, NONCE_BYTES);
    const seed = seedOf(program, plan, own, theirs);
    const draw = streamsFrom(randomBytes(SEED_BYTES));
    const rings = malformedRings(plan, malformed, pick);
    return await LatticeDataUser.open(stream, plan, seed, draw, undefined, rings);
  };
}

/** Rings that add to one of the polynomials of which bytes are asked. */
function malformedRings(plan: LatticePlan, malformed: Malformed, pick: (count: number) => number) {
  const rings = ringsOf(plan);
  if (malformed === 'nothing') return rings;
  // One class alone leaves a ciphertext nothing outside class 0.
  const ciphertexts = plan.products.reduce(
    (sum, { packing }) => sum + (packing.classes > 1 ? packing.blocks * packing.ciphertexts : 0),
    0,
  );
  const chosen = pick(malformed === 'key' ? plan.keys.length : ciphertexts);
  let number = 0;
  const changing = (ring: Ring): Ring => {
    const [bytes, prefix] = [ring.bytes.bind(ring), ring.prefix.bind(ring)];
    return Object.assign(ring, {
      prefix: (limbs: number) => changing(prefix(limbs)),
      bytes(...[polynomial, limbs, words]: Parameters<Ring['bytes']>) {
        // All words of a key are sent, and those of a ciphertext outside class 0; other ciphertexts are answers and messages.
        const isMeant = malformed === 'key' ? words === undefined : words?.start === 1 && words.run > 0;
        if (isMeant && number++ === chosen) {
          const place = words ? pick(countOf(words)) : pick(ring.degree);
          const at = words
            ? 1 + Math.floor(place / words.run) * (words.run + 1) + (place % words.run)
            : place;
          put(ring, polynomial, at, ring.modulus >> LESS_BITS);
        }
        return bytes(polynomial, limbs, words);
      },
    });
  };
  return new Map([...rings].map(([degree, ring]) => [degree, changing(ring)]));
}

/** Adds an integer to a coefficient. */
function put(ring: Ring, polynomial: Polynomial, at: number, value: bigint): void {
  for (const [limb, prime] of ring.primes.entries()) {
    const words = ring.coefficients(polynomial, limb);
    words[at] = Number((BigInt(words[at]!) + value) % BigInt(prime));
  }
}
