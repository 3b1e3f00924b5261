/** What templates learn from windows that were confirmed, written down soon after, and not within a request. */
import { type Template, updated } from '@eigenveil/authentication';
import type { Sealer } from '@eigenveil/server';
import type { UserId } from './messages.ts';
import type { Session } from './sessions.ts';
import type { SqliteAuthenticatorStore } from './sqlite-store.ts';
import { sealTemplate, templatePlace } from './store.ts';

type Learnt = Pick<Session, 'device' | 'enrolledAt' | 'template'>;

export class Learning {
  readonly #store: SqliteAuthenticatorStore;
  readonly #sealer: Sealer;
  /** Not written down yet. What is lost with the process is learnt again. */
  readonly #learnt = new Map<UserId, Learnt>();

  constructor(store: SqliteAuthenticatorStore, sealer: Sealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /** The template of a session after the windows of its sums, which have this share in it. */
  learn({ userId, device, enrolledAt, template, sums }: Session, share: number): Template {
    const learnt = updated(template, sums.moments(), share);
    this.#learnt.set(userId, { device, enrolledAt, template: learnt });
    return learnt;
  }

  /** Of a user whose template is gone. */
  drop(userId: UserId): void {
    this.#learnt.delete(userId);
  }

  flush(): void {
    if (this.#learnt.size === 0) return;
    const changes = Array.from(this.#learnt, ([userId, { device, enrolledAt, template }]) => ({
      userId,
      device,
      enrolledAt,
      sealedTemplate: sealTemplate(this.#sealer, templatePlace(userId), template),
    }));
    this.#store.replaceTemplates(changes);
    this.#learnt.clear();
  }
}
