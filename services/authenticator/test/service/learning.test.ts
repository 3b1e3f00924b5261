/**
 * What templates learn, from whom, and when; and who is flagged as drifting. The service by itself, without
 * a network.
 *
 * @claims S-212, S-213
 */
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Template } from '@eigenveil/authentication';
import { createLogger, Metrics, Sealer } from '@eigenveil/server';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { Thumbprint } from '@eigenveil/wire';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SessionId, UserId } from '../../src/messages.ts';
import { Population } from '../../src/service/metrics.ts';
import { referencesOf } from '../../src/service/references.ts';
import { AuthenticatorService } from '../../src/service/service.ts';
import { SqliteAuthenticatorStore } from '../../src/store/sqlite-store.ts';
import { openTemplate } from '../../src/store/store.ts';
import { COMPONENTS, newUserId, PROJECTION, strangeWindows, TRUST, windowsOf } from '../authenticator.ts';

const sealer = new Sealer(randomBytes(32));
let store: SqliteAuthenticatorStore;
let service: AuthenticatorService;
/** Templates that have learnt. */
let learnt: number;
const HOUR = 3_600_000;
/** Monotonic; in most tests, batches are so far apart that a template may learn whenever it has enough. */
let clock = 0;
let between = HOUR;
beforeEach(() => {
  between = HOUR;
  store = new SqliteAuthenticatorStore(':memory:');
  service = serviceWith();
});

function serviceWith(drift: { readonly movement?: number } = { movement: 0.05 }): AuthenticatorService {
  learnt = 0;
  const projection = {
    digest: PROJECTION,
    components: COMPONENTS,
    score: 'mahalanobis',
    engine: TRUST,
  } as const;
  return new AuthenticatorService({
    store,
    sealer,
    references: referencesOf([{ ...projection, ...drift }]),
    policy: {
      enrolmentWindows: 20,
      invitationHours: 1,
      windowsPerMinute: 1_000_000,
      sessionsPerHour: 1000,
      stepUpsPerDay: 1000,
      idleSeconds: 36_000,
      activeSessions: 100,
      eventDays: 1,
      learnAfterStepUp: 50,
      learnAfterRun: 200,
      learningShare: 0.1,
      driftLevel: 0.01,
    },
    now: () => new Date(),
    monotonic: () => clock,
    observer: {
      decided: () => {},
      scored: () => {},
      learnt: () => {
        learnt += 1;
      },
    },
  });
}

/** The same numbers every time. */
const random = generator(seedOf('learning'));
const own = (count: number) => windowsOf(0.3, count, random);
/** Like the user's, but moved by so much in one component. */
const moved = (count: number, by: number) => own(count).map(([first, ...rest]) => [first! + by, ...rest]);

class Player {
  readonly userId: UserId = newUserId();
  readonly device = Thumbprint.parse(randomBytes(32).toString('base64url'));
  session!: SessionId;
  #next = 0;

  constructor() {
    const { token } = service.invite({ userId: this.userId, purpose: 'enrol' });
    service.enrol(token, this.device, { projection: PROJECTION, windows: own(100) });
  }

  admitted(): this {
    this.session = service.openSession(this.device);
    this.#next = 0;
    return this.confirmed();
  }

  confirmed(): this {
    service.confirm(this.userId, service.status(this.userId).event);
    return this;
  }

  show(windows: readonly number[][]): this {
    for (let at = 0; at < windows.length; at += 10) {
      const batch = windows.slice(at, at + 10);
      service.observe(this.device, this.session, { first: this.#next, windows: batch });
      this.#next += batch.length;
      clock += between;
    }
    return this;
  }

  /** As it was written down. */
  template(): Template {
    service.tick();
    return openTemplate(sealer, store.user(this.userId)!);
  }
}

describe('a template', () => {
  test('learns after a confirmed step-up, and later from long confident runs', () => {
    const player = new Player();
    const { mean } = player.template();
    player.admitted().show(moved(40, 0.05));
    expect(player.template().version).toBe(1);
    player.show(moved(10, 0.05));
    const first = player.template();
    expect(first.version).toBe(2);
    expect(first.mean[0]! - mean[0]!).toBeCloseTo(0.1 * 0.05, 2);
    player.show(moved(190, 0.05));
    expect(player.template().version).toBe(2);
    player.show(moved(10, 0.05));
    expect(player.template().version).toBe(3);
    expect(learnt).toBe(2);
  });

  test('learns nothing from windows before a confirmation, or around a step-up', () => {
    const player = new Player();
    player.session = service.openSession(player.device);
    player.show(own(500));
    player.confirmed().show(own(40)).show(strangeWindows(3));
    expect(service.status(player.userId).decision).toBe('step-up');
    player.show(own(500));
    expect(player.template().version).toBe(1);
    player.confirmed().show(own(40));
    expect(player.template().version).toBe(1); // the 40 of before count no more
    player.show(own(10));
    expect(player.template().version).toBe(2);
  });

  test('learns from a run only if it is confident all the time', () => {
    const player = new Player().admitted().show(own(50)).show(own(150));
    player.show([...strangeWindows(2), ...own(8)]); // which takes trust below 85, and not below 75
    expect(service.status(player.userId).decision).toBe('allow');
    player.show(own(190));
    expect(player.template().version).toBe(2);
    player.show(own(10));
    expect(player.template().version).toBe(3);
  });

  test('learns once an hour, whoever makes windows faster', () => {
    const player = new Player();
    between = 1000;
    player.admitted().show(own(50)).show(own(1000));
    expect(learnt).toBe(1);
    for (let again = 0; again < 5; again += 1) player.admitted().show(own(60));
    expect(learnt).toBe(1);
    clock += HOUR;
    player.show(own(200)); // a run; nothing is made up for
    expect(learnt).toBe(2);
    expect(new Player().admitted().show(own(50)).template().version).toBe(2); // another user is not kept from it
  });

  test('that has learnt is there after a restart, and in the next session', () => {
    const player = new Player().admitted().show(moved(50, 0.05));
    player.admitted(); // reads it
    const { version } = openTemplate(sealer, store.user(player.userId)!);
    expect(version).toBe(2);
    player.show(own(50));
    service.close();
    service = serviceWith();
    expect(openTemplate(sealer, store.user(player.userId)!).version).toBe(3);
  });
});

describe('drift', () => {
  test('flags a user whose windows have moved, and no other; a renewal takes the flag away', () => {
    const [steady, mover] = [new Player(), new Player()];
    for (const [player, by] of [
      [steady, 0],
      [mover, 0.06],
    ] as const)
      for (let run = 0; run < 5; run += 1) player.admitted().show(moved(50, by)).template();
    expect([steady, mover].map(({ userId }) => service.status(userId).drifting)).toEqual([false, true]);
    expect(store.user(steady.userId)!.looks).toBe(5); // over all versions and sessions
    const { token } = service.invite({ userId: mover.userId, purpose: 'renew' });
    service.enrol(token, mover.device, { projection: PROJECTION, windows: own(50) });
    expect(store.user(mover.userId)).toMatchObject({ drifting: false, looks: 0 });
  });

  test('is not looked for where nobody has measured how much users move', () => {
    service = serviceWith({});
    const mover = new Player().admitted().show(moved(50, 0.06));
    expect(mover.template().version).toBe(2);
    expect(store.user(mover.userId)).toMatchObject({ drifting: false, looks: 0 });
  });

  test('of more users than chance flags tells the operator that a projection is due, without a name', async () => {
    let log = '';
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        log += chunk.toString();
        done();
      },
    });
    const metrics = new Metrics('authenticator');
    const population = new Population({
      store,
      log: createLogger({ service: 'authenticator', level: 'info' }, destination),
      metrics,
      level: 0.01,
      falseAlarm: 0.01,
    });
    const players = Array.from({ length: 20 }, () => new Player());
    const flag = ({ userId, device }: Player) => {
      const { enrolledAt, sealedTemplate } = store.user(userId)!;
      store.replaceTemplates([
        { userId, device, enrolledAt, sealedTemplate: sealedTemplate!, looks: 1, drifting: true },
      ]);
      population.look();
    };
    const outdated = async () =>
      /projections_outdated\{[^}]*\} (\d)/.exec(await metrics.registry.metrics())?.[1];
    flag(players[0]!);
    flag(players[1]!);
    expect(await outdated()).toBe('0'); // two of twenty at a level of 0.01 happen by chance with a probability above 0.01
    flag(players[2]!);
    flag(players[3]!);
    expect(await outdated()).toBe('1');
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/users_drifting\{[^}]*\} 4/);
    expect(text).toMatch(/users_enrolled\{[^}]*\} 20/);
    expect(log.match(/a new projection is due/g)).toHaveLength(1); // told once
    for (const { userId } of players) expect(text + log).not.toContain(userId);
  });
});
