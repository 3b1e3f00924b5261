/**
 * Sessions of the operator's console: the operator's token is exchanged for a bearer of 15 minutes, which can be renewed for 8 hours.
 *
 * A bearer is a JWT under a key that follows from the token (HKDF, RFC 5869). So every process of this data user that has the token knows
 * its bearers, none keeps anything, and with another token all are void. Nobody can turn a bearer back into the token: the token has 256
 * random bits (one put there by hand has 32 characters at least; if those can be guessed, a bearer lets somebody try guesses in private).
 */
import { hkdfSync } from 'node:crypto';
import type { AdminToken, Authenticator } from '@eigenveil/server';
import { bearerOf } from '@eigenveil/server';
import { ServiceError, type Thumbprint } from '@eigenveil/wire';
import type { ConsoleSession } from '@eigenveil/wire/console';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** Of a bearer, in seconds: whoever copies one has it for no longer. */
const BEARER_SECONDS = 15 * 60;
/** From the exchange to the last renewal's end, in seconds: a working day. */
const SESSION_SECONDS = 8 * 3600;
const ALGORITHM = 'HS256';
const TYPE = 'eigenveil-console+jwt';
const KEY_BYTES = 32;

/** Times are seconds since 1970. `ends` is that of the session. */
const Claims = z.strictObject({ aud: z.string(), iat: z.int(), exp: z.int(), ends: z.int() });

/** A bearer that was good when it was looked at. */
export interface Session {
  readonly expiresAt: Date;
  readonly endsAt: Date;
}

/** Who sends an operator's request: whoever has the token, or a page with a bearer. */
export type Operator = 'token' | 'session';

export class ConsoleSessions {
  readonly #token: AdminToken;
  readonly #audience: Thumbprint;
  readonly #now: () => Date;
  #key: { readonly of: string; readonly bytes: Uint8Array } | undefined;

  constructor(options: {
    readonly token: AdminToken;
    readonly dataUser: Thumbprint;
    readonly now: () => Date;
  }) {
    this.#token = options.token;
    this.#audience = options.dataUser;
    this.#now = options.now;
  }

  /** @throws ERR_AUTH_REQUIRED unless it is the operator's token */
  async exchange(presented: string): Promise<ConsoleSession> {
    if (!this.#token.isRight(presented)) throw refused();
    return this.#issue(this.#seconds() + SESSION_SECONDS);
  }

  /** Another bearer of the same session, which ends no later for it. */
  async renew({ endsAt }: Session): Promise<ConsoleSession> {
    return this.#issue(endsAt.getTime() / 1000);
  }

  /** @throws ERR_TOKEN_EXPIRED of a bearer that was good, ERR_AUTH_REQUIRED of anything else */
  async verify(bearer: string): Promise<Session> {
    const key = this.#keyOfToken();
    if (key === undefined) throw refused();
    try {
      const { payload } = await jwtVerify(bearer, key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        audience: this.#audience,
        currentDate: this.#now(),
      });
      const { exp, ends } = Claims.parse(payload);
      return { expiresAt: new Date(1000 * exp), endsAt: new Date(1000 * ends) };
    } catch (cause) {
      // jose looks at the time only where the MAC is right.
      if (cause instanceof errors.JWTExpired)
        throw new ServiceError('ERR_TOKEN_EXPIRED', 'the session is over; sign in again', { cause });
      throw refused(cause);
    }
  }

  /** Admits requests that carry the operator's token or a bearer. */
  operator(): Authenticator<Operator> {
    return {
      challenge: 'Bearer',
      description: "The operator's token, or a bearer of the console (POST /console/session).",
      authenticate: async (request) => {
        const presented = bearerOf(request.headers);
        if (presented === undefined) throw refused();
        if (this.#token.isRight(presented)) return 'token';
        await this.verify(presented);
        return 'session';
      },
    };
  }

  /** Admits requests that carry a bearer: the token is exchanged, not renewed. */
  bearer(): Authenticator<Session> {
    return {
      challenge: 'Bearer',
      description: 'A bearer of the console (POST /console/session).',
      authenticate: async (request) => this.verify(bearerOf(request.headers) ?? ''),
    };
  }

  async #issue(ends: number): Promise<ConsoleSession> {
    const key = this.#keyOfToken();
    if (key === undefined) throw refused();
    const at = this.#now();
    const now = this.#seconds();
    const expires = Math.min(now + BEARER_SECONDS, ends);
    const bearer = await new SignJWT({ ends })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setAudience(this.#audience)
      .setIssuedAt(now)
      .setExpirationTime(expires)
      .sign(key);
    return {
      bearer,
      at: at.toISOString(),
      expiresAt: new Date(1000 * expires).toISOString(),
      endsAt: new Date(1000 * ends).toISOString(),
    };
  }

  #seconds(): number {
    return Math.floor(this.#now().getTime() / 1000);
  }

  #keyOfToken(): Uint8Array | undefined {
    const of = this.#token.current;
    if (of === undefined) return undefined;
    if (this.#key?.of !== of) {
      const info = `eigenveil/1 console session ${this.#audience}`;
      this.#key = { of, bytes: new Uint8Array(hkdfSync('sha256', of, new Uint8Array(), info, KEY_BYTES)) };
    }
    return this.#key.bytes;
  }
}

function refused(cause?: unknown): ServiceError {
  return new ServiceError('ERR_AUTH_REQUIRED', "this needs the operator's token", { cause });
}
