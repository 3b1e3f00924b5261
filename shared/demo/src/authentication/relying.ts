/** The demo's relying application: it invites devices, reads decisions in order as they come, and answers step-ups and locks. */
import type { DecisionEvent, RelyingClient, UserId } from '@eigenveil/authenticator/relying';

export class RelyingApplication {
  readonly #client: RelyingClient;
  readonly #events: DecisionEvent[] = [];
  readonly #last = new Map<UserId, DecisionEvent>();
  #asked: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(client: RelyingClient) {
    this.#client = client;
  }

  /** All events so far, in the service's order. */
  get events(): readonly DecisionEvent[] {
    return this.#events;
  }

  async invite(userId: UserId): Promise<string> {
    return (await this.#client.invite(userId, 'enrol')).token;
  }

  /** The user's last event of all that the service had written down when this was called. */
  async lastOf(userId: UserId): Promise<DecisionEvent> {
    await this.#catchUp();
    const event = this.#last.get(userId);
    if (event === undefined) throw new Error(`the service has told nothing of user ${userId}`);
    return event;
  }

  /** The user has proved who they are: the session goes on at `allow`. */
  confirm({ userId, sequence }: DecisionEvent): Promise<void> {
    return this.#client.confirm(userId, sequence);
  }

  unlock({ userId, sequence }: DecisionEvent): Promise<void> {
    return this.#client.unlock(userId, sequence);
  }

  close(): Promise<void> {
    return this.#client.close();
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
