/**
 * Sessions of the operator's console: the operator's token is exchanged for a bearer of 15 minutes, which can
 * be renewed for 8 hours.
 *
 * A bearer is a JWT under a key that follows from the token (HKDF, RFC 5869). Therefore every process of this
 * data user that has the token knows its bearers, no process keeps anything, and after a change of the token
 * all bearers are void. Nobody can compute the token from a bearer: the token has 256 random bits (one put
 * there by hand has 32 characters at least; if those can be guessed, a bearer lets somebody try guesses in
 * private).
 */
import { hkdfSync } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import type { Authenticator } from '@eigenveil/server';
import { bearerOf } from '@eigenveil/server';
import { CODES, type Thumbprint } from '@eigenveil/wire';
import type { ConsoleSession } from '@eigenveil/wire/console';
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { ADMIN, type KnownOperator, OperatorName, type Operators, refused } from '../tasks/operators.ts';

/** The life of a bearer, in seconds: anyone who copies one has it for no longer. */
const BEARER_SECONDS = 15 * 60;
/** The time from the exchange to the end of the last renewal, in seconds: a working day. */
const SESSION_SECONDS = 8 * 3600;
const ALGORITHM = 'HS256';
const TYPE = 'eigenveil-console+jwt';
const KEY_BYTES = 32;

/** The claims of a bearer. Times are seconds since 1970. `ends` is the end of the session. */
const Claims = z.strictObject({
  aud: z.string(),
  sub: z.string(),
  iat: z.int(),
  exp: z.int(),
  ends: z.int(),
});

/** A bearer that was good when it was checked. */
export interface Session {
  readonly operator: string;
  readonly expiresAt: Date;
  readonly endsAt: Date;
}

/** The sender of an operator's request, and how it was admitted: by its token, or as a page with a bearer. */
export interface Operator {
  readonly name: string;
  readonly by: 'token' | 'session';
}

export class ConsoleSessions {
  readonly #operators: Operators;
  readonly #secret: Uint8Array;
  readonly #audience: Thumbprint;
  readonly #now: () => Date;

  constructor(options: {
    readonly operators: Operators;
    /**
     * A secret of this data user, the same in all of its processes: anyone who has it can make bearers of
     * named operators.
     */
    readonly secret: Uint8Array;
    readonly dataUser: Thumbprint;
    readonly now: () => Date;
  }) {
    this.#operators = options.operators;
    this.#secret = options.secret;
    this.#audience = options.dataUser;
    this.#now = options.now;
  }

  /**
   * Exchanges an operator's token for the first bearer of a session.
   * @throws ERR_AUTH_REQUIRED unless it is an operator's token, ERR_TOKEN_EXPIRED
   */
  async exchange(presented: string): Promise<ConsoleSession> {
    const operator = await this.#operators.withToken(presented);
    await this.#operators.note(operator.name, 'signed in', null);
    const expires = (operator.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) / 1000;
    return this.#issue(operator, Math.floor(Math.min(this.#seconds() + SESSION_SECONDS, expires)));
  }

  /** Returns another bearer of the same session, whose end stays the same. */
  async renew({ operator, endsAt }: Session): Promise<ConsoleSession> {
    const known = await this.#operators.named(operator);
    if (known === undefined) throw refused();
    return this.#issue(known, endsAt.getTime() / 1000);
  }

  /**
   * Returns the session of a bearer.
   * @throws ERR_TOKEN_EXPIRED for a bearer that was good, ERR_AUTH_REQUIRED for anything else
   */
  async verify(bearer: string): Promise<Session> {
    const operator = await this.#operators.named(claimedName(bearer));
    if (operator === undefined) throw refused();
    try {
      const { payload } = await jwtVerify(bearer, this.#keyOf(operator), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        audience: this.#audience,
        currentDate: this.#now(),
      });
      const { exp, ends } = Claims.parse(payload);
      return {
        operator: operator.name,
        expiresAt: new Date(1000 * exp),
        endsAt: new Date(1000 * ends),
      };
    } catch (cause) {
      // jose checks the time only where the MAC is right.
      if (cause instanceof errors.JWTExpired)
        throw new CodedError(CODES.ERR_TOKEN_EXPIRED, 'the session is over; sign in again', { cause });
      throw refused(cause);
    }
  }

  /** Admits requests that carry an operator's token or a bearer. */
  operator(): Authenticator<Operator> {
    return {
      challenge: 'Bearer',
      description: "An operator's token, or a bearer of the console (POST /console/session).",
      authenticate: async (request) => {
        const presented = bearerOf(request.headers);
        if (presented === undefined) throw refused();
        // A bearer has points. The token of the data directory may have some, too, if somebody has put it
        // there by hand.
        const isAdmin = this.#operators.isAdmin(presented);
        if (!isAdmin && presented.includes('.'))
          return { name: (await this.verify(presented)).operator, by: 'session' };
        return { name: (await this.#operators.withToken(presented)).name, by: 'token' };
      },
    };
  }

  /** Admits requests that carry a bearer: the bearer is renewed, while a token is exchanged. */
  bearer(): Authenticator<Session> {
    return {
      challenge: 'Bearer',
      description: 'A bearer of the console (POST /console/session).',
      authenticate: async (request) => this.verify(bearerOf(request.headers) ?? ''),
    };
  }

  async #issue(operator: KnownOperator, ends: number): Promise<ConsoleSession> {
    const at = this.#now();
    const now = this.#seconds();
    const expires = Math.min(now + BEARER_SECONDS, ends);
    const bearer = await new SignJWT({ ends })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setAudience(this.#audience)
      .setSubject(operator.name)
      .setIssuedAt(now)
      .setExpirationTime(expires)
      .sign(this.#keyOf(operator));
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

  /**
   * Derives the key of an operator's bearers: for `admin` from its token alone, which is a secret; for others
   * from a secret of this data user and the hash of the token.
   */
  #keyOf({ name, token }: KnownOperator): Uint8Array {
    const place = `eigenveil/1 console session ${this.#audience}`;
    const [secret, info] = name === ADMIN ? [token, place] : [this.#secret, `${place} ${name} ${token}`];
    return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), info, KEY_BYTES));
  }
}

/**
 * Returns the name that a bearer claims, before anything in it is verified. A text with a zero in it is
 * refused, since PostgreSQL fails on it.
 */
function claimedName(bearer: string): string {
  try {
    return OperatorName.parse(decodeJwt(bearer).sub);
  } catch (cause) {
    throw refused(cause);
  }
}
