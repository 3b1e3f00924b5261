/**
 * A session at the data user. The operator's token is exchanged for a bearer that only the memory of this
 * page has. It is renewed while the page is in use, and ends by itself otherwise.
 */
import type { ConsoleSession } from '@eigenveil/wire/console';

/** The clock of the page, or of a test that lets no time pass. */
export interface SessionClock {
  /** Returns milliseconds since some moment, which never go back. */
  now(): number;
  /** Calls `callback` once after this time. Returns a function that prevents it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/**
 * The reasons for the end of a session:
 *
 * - `signed out`: the person at the page has signed out
 * - `unused`: the page was not in use when the bearer had to be renewed
 * - `limit`: no session lasts longer
 * - `void`: the service no longer takes the bearer, for example since the operator's token was replaced
 * - `unreachable`: the bearer could not be renewed in time
 */
export type SessionEnd = 'signed out' | 'unused' | 'limit' | 'void' | 'unreachable';

export interface SessionDependencies {
  /** Asks for the first bearer. */
  readonly exchange: () => Promise<ConsoleSession>;
  readonly renew: (bearer: string) => Promise<ConsoleSession>;
  readonly isInUse: () => boolean;
  readonly clock: SessionClock;
  readonly onEnd: (reason: SessionEnd) => void;
}

/** The interval of the checks whether the page is in use again, or the service answers again. */
const PAUSE_MILLISECONDS = 5000;

export class Session {
  readonly #deps: SessionDependencies;
  #current: ConsoleSession;
  /** The time when `#current` was asked for, by the clock of the page. */
  #asked: number;
  #ended: SessionEnd | null = null;
  #isRenewing = false;
  #lastRenewalFailed = false;
  #cancel: () => void = () => undefined;

  /** @throws as exchange */
  static async open(dependencies: SessionDependencies): Promise<Session> {
    const asked = dependencies.clock.now();
    return new Session(dependencies, await dependencies.exchange(), asked);
  }

  private constructor(dependencies: SessionDependencies, first: ConsoleSession, asked: number) {
    this.#deps = dependencies;
    this.#current = first;
    this.#asked = asked;
    this.#wait((2 / 3) * lifetimeOf(first));
  }

  /** Returns the bearer for `Authorization: Bearer …`. */
  get bearer(): string {
    return this.#current.bearer;
  }

  /** Returns the latest end of the session, by the clock of the service. */
  get endsAt(): string {
    return this.#current.endsAt;
  }

  /** Returns the time by the clock of the service, which deadlines follow, too. */
  now(): Date {
    return new Date(new Date(this.#current.at).getTime() + this.#deps.clock.now() - this.#asked);
  }

  /** Ends the session; only the first reason counts. */
  end(reason: SessionEnd): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#cancel();
    this.#current = { ...this.#current, bearer: '' };
    this.#deps.onEnd(reason);
  }

  #wait(milliseconds: number): void {
    this.#cancel = this.#deps.clock.after(Math.max(0, milliseconds), () => this.#look());
  }

  #look(): void {
    // The lifetime counts from before the request, so that the renewal is never too late.
    const left = this.#asked + lifetimeOf(this.#current) - this.#deps.clock.now();
    if (left <= 0) {
      this.end(this.#whyExpired());
      return;
    }
    this.#wait(Math.min(left, PAUSE_MILLISECONDS));
    if (this.#current.expiresAt < this.#current.endsAt && this.#deps.isInUse()) void this.#renew();
  }

  #whyExpired(): SessionEnd {
    if (this.#current.expiresAt >= this.#current.endsAt) return 'limit';
    return this.#lastRenewalFailed ? 'unreachable' : 'unused';
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const asked = this.#deps.clock.now();
    try {
      const renewed = await this.#deps.renew(this.#current.bearer);
      if (this.#ended !== null) return;
      this.#current = renewed;
      this.#asked = asked;
      this.#lastRenewalFailed = false;
      this.#cancel();
      this.#wait((2 / 3) * lifetimeOf(renewed));
    } catch (error) {
      this.#lastRenewalFailed = true;
      // After any other failure the renewal is tried again, as long as the bearer is valid.
      if (isRefusal(error)) this.end('void');
    } finally {
      this.#isRenewing = false;
    }
  }
}

function lifetimeOf({ at, expiresAt }: ConsoleSession): number {
  return new Date(expiresAt).getTime() - new Date(at).getTime();
}

/** Says whether the service has refused the token or the bearer. */
export function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 401;
}
