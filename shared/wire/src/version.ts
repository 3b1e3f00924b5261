/**
 * The version of the protocol that a program speaks, and the versions that may meet. docs/versions.md has the
 * table.
 */
import { CodedError } from '@eigenveil/platform';
import { CODES } from './codes.ts';

/**
 * The version of this program. It is raised whenever what programs of different
 * roles send each other changes so that one of the release before would refuse it, or take it for something
 * else; messages of the two-party protocols count.
 */
export const SPOKEN_VERSION = 2;

/**
 * The oldest version that the two servers take from each other. They change together: there is one form of
 * what they compute with each other. Owners, operators, devices and relying applications come when they like,
 * and nobody asks them.
 */
export const OLDEST_SERVER_VERSION = 2;

/**
 * Every request and every answer says by it what its sender speaks. Nothing that is secret depends on it, so
 * nobody signs it.
 */
export const VERSION_HEADER = 'eigenveil-protocol';

/** The version of a program that sends no header. */
const SILENT_VERSION = 0;

/**
 * Returns the version that a header says.
 * @throws ERR_BODY_MALFORMED for a header that is not a version
 */
export function versionOf(header: string | undefined): number {
  if (header === undefined) return SILENT_VERSION;
  if (!/^[1-9]\d{0,4}$/.test(header))
    throw new CodedError(
      CODES.ERR_BODY_MALFORMED,
      `"${VERSION_HEADER}" expected a whole number from 1 to 99999`,
    );
  return Number(header);
}

/** Both sides' versions, and who has to be updated: the older one. */
export function versionRefused(peer: string, theirs: number): CodedError {
  const older = theirs < SPOKEN_VERSION ? peer : 'this program';
  return new CodedError(
    CODES.ERR_PROTOCOL_VERSION,
    `${peer} speaks version ${theirs} of the protocol, this program version ${SPOKEN_VERSION}: update ${older} (docs/versions.md says which releases may meet)`,
  );
}

/** @throws ERR_PROTOCOL_VERSION for a peer that speaks an older version than it must, ERR_BODY_MALFORMED */
export function requireVersion(header: string | undefined, oldest: number, peer: string): void {
  const theirs = versionOf(header);
  if (theirs < oldest) throw versionRefused(peer, theirs);
}
