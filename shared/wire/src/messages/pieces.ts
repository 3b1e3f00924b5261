/**
 * Contributions in pieces: one that is longer than WHOLE_BYTES is handed in piece by piece, so that neither
 * side holds all of it, a broken line costs one piece, and each piece is checked as it comes. A shorter one
 * goes in one request.
 */
import { z } from 'zod';
import { Digest } from '../identity/digest.ts';

/** The longest contribution that goes in one request: longer than any of a whole scatter matrix (0.74 MB). */
const WHOLE_BYTES = 2 ** 20;
/** A piece has as many whole ciphertexts as fit into this number of bytes. */
const PIECE_BYTES = 2 ** 19;

/** A stretch of a contribution's ciphertexts. */
export interface Piece {
  readonly number: number;
  /** The first ciphertext, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the pieces of a contribution of this number of ciphertexts, in their order; empty for one that goes
 * in one request.
 * @example
 * import { piecesOf } from '@eigenveil/wire';
 *
 * piecesOf(1000, 512); // → []
 * piecesOf(3000, 512).map(({ from, to }) => [from, to]); // → [[0, 1024], [1024, 2048], [2048, 3000]]
 */
export function piecesOf(ciphertexts: number, ciphertextBytes: number): readonly Piece[] {
  if (ciphertexts * ciphertextBytes <= WHOLE_BYTES) return [];
  const most = Math.floor(PIECE_BYTES / ciphertextBytes);
  return Array.from({ length: Math.ceil(ciphertexts / most) }, (_, number) => ({
    number,
    from: number * most,
    to: Math.min((number + 1) * most, ciphertexts),
  }));
}

/**
 * The part of an owner's contribution that the data user has: the number of first pieces of the one with this
 * digest. Null: nothing.
 */
export const UploadResponse = z.strictObject({
  contributionDigest: Digest.nullable(),
  pieces: z.int().min(0),
});
