/** Opens the secret products of a run at either end: both nonces first, which all that is public and all that is drawn follows from. */
import { createHash } from 'node:crypto';
import { digestJson } from '@eigenveil/wire';
import type { MessageStream } from '../channel/message-stream.ts';
import { type RandomSource, SEED_BYTES, streamsFrom } from '../oblivious-transfer/randomness.ts';
import { LatticeCsp } from './csp.ts';
import { LatticeDataUser } from './data-user.ts';
import { LATTICE_MESSAGE, ringsOf } from './messages.ts';
import type { LatticePlan } from './sizes.ts';

/** Streams of one end's secret seed, each purpose once. */
type Draws = (purpose: string) => RandomSource;

export const NONCE_BYTES = 32;

/** Returns what public polynomials follow from: both nonces, the version of the protocol, and the plan. */
export function seedOf(program: string, plan: LatticePlan, user: Uint8Array, csp: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(user)
    .update(csp)
    .update(program)
    .update(digestJson('lattice plan', plan))
    .digest();
}

/**
 * Writes the data user's nonce; what is returned reads the CSP's and opens the products.
 * @param onWork is called with the number of products of polynomials that were made
 */
export function dataUserLattice(
  stream: MessageStream,
  program: string,
  draws: Draws,
  onWork?: (products: number) => void,
): (plan: LatticePlan) => Promise<LatticeDataUser> {
  const own = draws('nonce')(NONCE_BYTES);
  stream.write(LATTICE_MESSAGE.nonce, own);
  return async (plan) => {
    await stream.depart();
    const rings = ringsOf(plan); // while the CSP draws its secrets
    const theirs = await stream.read(LATTICE_MESSAGE.nonce, NONCE_BYTES);
    const seed = seedOf(program, plan, own, theirs);
    // With one nonce alone, two runs of one secret under two public polynomials would tell the secret.
    const secret = draws(`products ${Buffer.from(seed).toString('hex')}`)(SEED_BYTES);
    return await LatticeDataUser.open(stream, plan, seed, streamsFrom(secret), onWork, rings);
  };
}

/** Reads the data user's nonce and writes the CSP's, which leaves with its next flush; what is returned opens the products. */
export async function cspLattice(
  stream: MessageStream,
  program: string,
  draws: Draws,
): Promise<(plan: LatticePlan) => Promise<LatticeCsp>> {
  const theirs = await stream.read(LATTICE_MESSAGE.nonce, NONCE_BYTES);
  const own = draws('nonce')(NONCE_BYTES);
  stream.write(LATTICE_MESSAGE.nonce, own);
  return async (plan) => {
    // All that came goes into the purposes of what it draws, the data user's nonce with the seed.
    const seed = seedOf(program, plan, theirs, own);
    return await LatticeCsp.receive(stream, plan, seed, streamsFrom(draws('products')(SEED_BYTES)));
  };
}

/** The number of products of polynomials that the data user makes: what its progress is counted in. */
export function productsOf({ products }: LatticePlan): number {
  return products.reduce((sum, { packing }) => {
    const { blocks, ciphertexts, answers } = packing;
    return sum + blocks * (ciphertexts + answers);
  }, 0);
}
