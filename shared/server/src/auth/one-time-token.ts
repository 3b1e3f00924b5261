/** One-time secrets by which somebody is let in, such as an owner's enrolment or a device's: whoever makes one keeps its hash alone. */
import { createHash, randomBytes } from 'node:crypto';

/** 32 random bytes. */
export function newOneTimeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A token has 256 random bits, so a plain hash hides it and a look-up by hash gives nothing away through timing. */
export function hashOneTimeToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
