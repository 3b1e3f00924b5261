/** The bits that say whether a program's statistics may be decomposed, and the errors that they stand for. */
import { ProjectionError, type ProjectionErrorCode } from '@eigenveil/projection';
import { TwoPartyError } from '../errors.ts';
import type { Gates, Wires } from '../garbling/index.ts';

/** In the order in which they are looked at. */
export interface Flags {
  /** The encrypted number of owners is the verified one. */
  readonly sameOwners: Wires;
  readonly enoughOwners: Wires;
  readonly rows: Wires;
  /** At least two classes of the first labelling have rows. */
  readonly classes?: Wires;
  /** The noise matrix is clearly positive definite. */
  readonly definite?: Wires;
}

/** One bit per flag, 0 from the first that is: nothing is told of those behind it. The last says whether all of them hold. */
export function flagBits(gates: Gates, flags: Flags): Wires[] {
  const { sameOwners, enoughOwners, rows, classes, definite } = flags;
  const bits: Wires[] = [];
  for (const flag of [sameOwners, enoughOwners, rows, classes, definite]) {
    if (flag === undefined) continue;
    const before = bits.at(-1);
    bits.push(before === undefined ? flag : gates.and(before, flag));
  }
  return bits;
}

/**
 * Reads the revealed bits of `flagBits`.
 * @throws TwoPartyError ERR_OWNER_COUNT; ProjectionError ERR_MINIMUM_OWNERS, ERR_NO_SAMPLES, ERR_SINGLE_CLASS,
 *   ERR_NOT_POSITIVE_DEFINITE
 */
export function checkFlags(bits: readonly Uint8Array[]): void {
  const failed = bits.findIndex((bit) => bit[0] !== 1);
  if (failed < 0) return;
  if (failed === 0) {
    throw new TwoPartyError(
      'ERR_OWNER_COUNT',
      'the encrypted number of owners differs from the verified records',
    );
  }
  const [code, message] = FAILURES[failed - 1]!;
  throw new ProjectionError(code, message);
}

const FAILURES: readonly (readonly [ProjectionErrorCode, string])[] = [
  ['ERR_MINIMUM_OWNERS', 'expected contributions of at least the minimum of owners, got fewer'],
  ['ERR_NO_SAMPLES', 'expected at least one sample, got none'],
  ['ERR_SINGLE_CLASS', 'expected samples of at least two classes, got one'],
  ['ERR_NOT_POSITIVE_DEFINITE', 'the noise matrix is not positive definite: a larger ridge is needed'],
];
