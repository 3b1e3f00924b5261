/**
 * A session at the data user: the operator's token is exchanged for a bearer that lives in the memory of this page alone. It is renewed
 * while the page is in use, and ends by itself otherwise.
 */
import type { ConsoleSession } from '@eigenveil/wire/console';

/** Of the page, or of a test that lets no time pass. */
export interface SessionClock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Calls back once after so many milliseconds, and returns what takes that back. */
  after(milliseconds: number, callback: () => void): () => void;
}

/**
 * - `signed out`: by the person at the page
 * - `unused`: the page was not in use when the bearer had to be renewed
 * - `limit`: no session lasts longer
 * - `void`: the service does not take the bearer any more; the operator's token was replaced, say
 * - `unreachable`: it could not be renewed in time
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

/** How often it is looked whether the page is in use again, or the service answers again. */
const PAUSE_MILLISECONDS = 5000;

export class Session {
  readonly #deps: SessionDependencies;
  #current: ConsoleSession;
  /** When `#current` was asked for, by the clock of the page. */
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

  /** For `Authorization: Bearer …`. */
  get bearer(): string {
    return this.#current.bearer;
  }

  /** When it ends at the latest, by the clock of the service. */
  get endsAt(): string {
    return this.#current.endsAt;
  }

  /** By the clock of the service, which deadlines are by, too. */
  now(): Date {
    return new Date(new Date(this.#current.at).getTime() + this.#deps.clock.now() - this.#asked);
  }

  /** Only the first reason counts. */
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
    // From before the request, so that it is never too late.
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
      // Whatever else fails is tried again, as long as the bearer holds.
      if (isRefusal(error)) this.end('void');
    } finally {
      this.#isRenewing = false;
    }
  }
}

function lifetimeOf({ at, expiresAt }: ConsoleSession): number {
  return new Date(expiresAt).getTime() - new Date(at).getTime();
}

/** Whether the service does not know who asks. */
export function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 401;
}
