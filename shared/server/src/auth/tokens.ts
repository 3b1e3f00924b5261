/**
 * Secrets that admit somebody: the operator's bearer token, and one-time tokens. The bearer token is 256
 * random bits in a secret file, compared by digest in constant time, and void when the file holds another.
 * One-time tokens, such as those for the enrolment of an owner or a device, are kept only as hashes by the
 * service that makes them.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import type { Authenticator } from '../http/routes.ts';
import type { Logger } from '../observe/log.ts';
import { loadOrCreateSecretFile, readSecretFile } from '../secrets/secret-file.ts';

const TOKEN_BYTES = 32;
/** A shorter token, put there by hand, could be guessed over the network. */
const SHORTEST_TOKEN = 32;
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;
/**
 * The time after which the file is read again: somebody who replaces a token that has leaked waits no longer
 * than this.
 */
const REREAD_MILLISECONDS = 5000;

export class AdminToken {
  readonly #path: string | undefined;
  #current: string | undefined;
  #expected: Buffer;
  #timer: NodeJS.Timeout | undefined;

  /** @throws RangeError when it is too short to be safe */
  constructor(token: string, path?: string) {
    requireLength(token);
    this.#current = token;
    this.#expected = digest(token);
    this.#path = path;
  }

  /**
   * Returns the token of a secret file, which is made when missing.
   * @throws ERR_KEY_FILE, RangeError when it is too short to be safe
   */
  static async open(path: string): Promise<AdminToken> {
    const fresh = () => randomBytes(TOKEN_BYTES).toString('base64url');
    return new AdminToken(await loadOrCreateSecretFile(path, fresh), path);
  }

  /**
   * The token that the file held when it was read last. It is undefined where the file did not hold a token,
   * and then nobody is admitted. A secret.
   */
  get current(): string | undefined {
    return this.#current;
  }

  isRight(presented: string): boolean {
    // Digests have equal lengths, which timingSafeEqual needs, and hide how far a guess agrees.
    const isSame = timingSafeEqual(digest(presented), this.#expected);
    return isSame && this.#current !== undefined;
  }

  /** Reads the file again from now on, every five seconds. */
  watch(log: Logger): void {
    this.#timer ??= setInterval(() => void this.reread(log), REREAD_MILLISECONDS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Reads the file again. If it is missing, it is not made, since the other processes of a service would not
   * have its token: a restart makes it.
   */
  async reread(log: Logger): Promise<void> {
    const before = this.#current;
    try {
      const token = await readSecretFile(this.#path!);
      if (token !== undefined) requireLength(token);
      this.#current = token;
      this.#expected = digest(token ?? '');
      if (token === undefined && before !== undefined)
        log.error("the operator's token is gone: nobody is admitted until there is one");
    } catch (error) {
      this.#current = undefined;
      if (before !== undefined)
        log.error({ err: error }, "the operator's token cannot be read: nobody is admitted");
    }
    if (this.#current !== undefined && this.#current !== before)
      log.info("the operator's token was replaced: the one before is void");
  }
}

/** Admits requests that carry `Authorization: Bearer <token>`; others get ERR_AUTH_REQUIRED. */
export function adminAuthenticator(token: Pick<AdminToken, 'isRight'>): Authenticator<'admin'> {
  return {
    challenge: 'Bearer',
    description: "The operator's token, from the service's token file.",
    authenticate(request) {
      const presented = bearerOf(request.headers);
      if (presented === undefined || !token.isRight(presented))
        throw new CodedError(CODES.ERR_AUTH_REQUIRED, "this needs the operator's token");
      return 'admin';
    },
  };
}

/** Returns the text after `Authorization: Bearer`. */
export function bearerOf({
  authorization,
}: {
  readonly authorization?: string | undefined;
}): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

function requireLength({ length }: string): void {
  if (length < SHORTEST_TOKEN)
    throw new RangeError(`"token" expected at least ${SHORTEST_TOKEN} characters, got ${length}`);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Makes a token of 32 random bytes. */
export function newOneTimeToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the hash of a token. It has 256 random bits, so that a plain hash hides it and the timing of a
 * look-up by hash tells nothing.
 */
export function hashOneTimeToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
