/** The operator's bearer token: 256 random bits in a secret file, compared by digest in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@eigenveil/wire';
import type { Authenticator } from './routes.ts';
import { loadOrCreateSecretFile } from './secret-file.ts';

const TOKEN_BYTES = 32;
/** A shorter token, put there by hand, could be guessed over the network. */
const SHORTEST_TOKEN = 32;
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/**
 * The token of a secret file, made when missing.
 * @throws ERR_KEY_FILE, RangeError when it is too short to be safe
 */
export async function loadOrCreateAdminToken(path: string): Promise<string> {
  return loadOrCreateSecretFile(path, () => randomBytes(TOKEN_BYTES).toString('base64url'));
}

/** Admits requests that carry `Authorization: Bearer <token>`; others get ERR_AUTH_REQUIRED. */
export function adminAuthenticator(token: string): Authenticator<'admin'> {
  if (token.length < SHORTEST_TOKEN) {
    throw new RangeError(`"token" expected at least ${SHORTEST_TOKEN} characters, got ${token.length}`);
  }
  const expected = digest(token);
  return {
    challenge: 'Bearer',
    description: "The operator's token, from the service's token file.",
    authenticate(request) {
      const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
      // Digests have equal lengths, which timingSafeEqual needs, and hide how far a guess agrees.
      if (presented === undefined || !timingSafeEqual(digest(presented), expected)) {
        throw new ServiceError('ERR_AUTH_REQUIRED', "this needs the operator's token");
      }
      return 'admin';
    },
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
