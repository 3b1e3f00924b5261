/** Decisions as the demo's relying application reads them: in order, as they come. */
import type { DecisionEvent, RelyingClient, UserId } from '@eigenveil/authenticator/relying';

export class Decisions {
  readonly #client: Pick<RelyingClient, 'past'>;
  readonly #events: DecisionEvent[] = [];
  readonly #last = new Map<UserId, DecisionEvent>();
  #asked: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(client: Pick<RelyingClient, 'past'>) {
    this.#client = client;
  }

  /** All events so far, in the service's order. */
  get events(): readonly DecisionEvent[] {
    return this.#events;
  }

  /** The user's last event of all that the service had written down when this was called. */
  async lastOf(userId: UserId): Promise<DecisionEvent> {
    await this.#catchUp();
    const event = this.#last.get(userId);
    if (event === undefined) throw new Error(`the service has told nothing about user ${userId}`);
    return event;
  }

  /** One question for all who wait: one that is under way may have missed what they wait for, so they share the one after it. */
  #catchUp(): Promise<void> {
    this.#next ??= this.#asked.then(() => {
      this.#next = undefined;
      this.#asked = this.#read();
      return this.#asked;
    });
    return this.#next;
  }

  async #read(): Promise<void> {
    const after = this.#events.at(-1)?.sequence ?? 0;
    for await (const event of this.#client.past({ after })) {
      this.#events.push(event);
      this.#last.set(event.userId, event);
    }
  }
}
