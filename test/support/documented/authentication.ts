/** The smallest forms of `eigenveil-authenticator`: three people with a projection, and an authenticator in this process. */
import { join } from 'node:path';
import { UserId } from '@eigenveil/authenticator/relying';
import { saveProjection } from '@eigenveil/projection';
import { freePort } from '@eigenveil/testbed/port';
import { Children } from '@eigenveil/testbed/processes/programs';
import { expect } from 'vitest';
import { AuthenticationSite, type Person, projectedHere } from '../authentication.ts';
import type { Form } from './form.ts';
import type { DocumentSite } from './site.ts';

/** What the documents call the user. */
const NAME = 'u-4711';
const TOKEN = 'eigenveil-authenticator relying invite u-4711 --service-url https://auth.example.org:8445';

class Stage {
  readonly #site: DocumentSite;
  readonly authentication: AuthenticationSite;

  private constructor(site: DocumentSite, authentication: AuthenticationSite) {
    this.#site = site;
    this.authentication = authentication;
  }

  /** The stage of a site, which ends with it. */
  static of(site: DocumentSite): Promise<Stage> {
    const stage = stages.get(site) ?? Stage.#start(site);
    stages.set(site, stage);
    return stage;
  }

  static async #start(site: DocumentSite): Promise<Stage> {
    const authentication = await AuthenticationSite.start(await projectedHere());
    site.onClose(() => authentication.close());
    const stage = new Stage(site, authentication);
    const { config, projected } = authentication;
    Object.assign(process.env, {
      ...{ EIGENVEIL_RELYING_HOME: 'relying', EIGENVEIL_DEVICE_HOME: 'device' },
      ...{
        EIGENVEIL_RELYING_SERVICE_CA: config.tlsCertificate,
        EIGENVEIL_DEVICE_SERVICE_CA: config.tlsCertificate,
      },
    });
    const { stdout } = await site.give('eigenveil-authenticator relying identity');
    await authentication.restart({
      relyingApplications: [...config.relyingApplications, stdout.trim() as never],
    });
    await saveProjection('evidence.json', projected.evidence);
    const [person] = projected.people as [Person];
    await stage.rows(
      'windows.csv',
      person.enrolment.map((row) => [...row]),
    );
    await stage.rows(
      'pilot.csv',
      projected.people.flatMap((it) => it.enrolment.map((row) => [...row, it.userId])),
      'user',
    );
    await stage.rows(
      'later.csv',
      person.later.map((row) => [...row]),
    );
    return stage;
  }

  rows(
    name: string,
    rows: readonly (readonly (number | string)[])[],
    ...more: readonly string[]
  ): Promise<void> {
    const names = this.authentication.projected.evidence.task.features.map((it) => it.name);
    return this.#site.write(
      name,
      `${[[...names, ...more], ...rows].map((cells) => cells.join(',')).join('\n')}\n`,
    );
  }

  async give(command: string, values: readonly (readonly [string, string])[] = []): Promise<string> {
    const { service, projected } = this.authentication;
    const known = [
      ['https://auth.example.org:8445', service.url],
      ['<thumbprint of the CSP>', projected.csp],
    ] as const;
    return (await this.#site.give(command, new Map([...known, ...values]))).stdout.trim();
  }

  /** A device of a fresh home, enrolled as a user of its own name, which stands for the one of the documents. */
  async enrolled(user: string): Promise<void> {
    await this.#site.remove('device');
    await this.authentication.enrolled(
      this.people[0],
      UserId.parse(user),
      join(this.#site.world.folder, 'device'),
    );
  }

  get people(): readonly [Person, Person] {
    return this.authentication.projected.people as [Person, Person];
  }

  /** The device that was enrolled last, in a session that stays open. */
  device() {
    return this.authentication.device(join(this.#site.world.folder, 'device'));
  }

  /** The number of the user's last event, which a confirmation names. */
  async sequence(user: string): Promise<string> {
    return String((await this.authentication.relying.user({ userId: UserId.parse(user) })).event);
  }
}

const stages = new WeakMap<DocumentSite, Promise<Stage>>();

/** The same with a user of its own, so that no command waits for another one. */
async function asUser(
  site: DocumentSite,
  command: string,
  before?: (stage: Stage, user: string) => Promise<unknown>,
) {
  const stage = await Stage.of(site);
  const user = `u-${command.length}`;
  await stage.enrolled(user);
  await before?.(stage, user);
  return stage.give(command, [
    [NAME, user],
    ['<sequence>', await stage.sequence(user)],
  ]);
}

export const AUTHENTICATION: readonly Form[] = [
  {
    of: /^eigenveil-authenticator relying identity$/,
    run: async (site, command) => (await Stage.of(site)).give(command),
  },
  {
    of: /^eigenveil-authenticator calibrate .+/,
    run: async (site, command) => (await Stage.of(site)).give(command),
  },
  {
    of: /^eigenveil-authenticator serve --config authenticator\.json$/,
    async run(site) {
      const { config } = (await Stage.of(site)).authentication;
      await site.write('authenticator.json', {
        ...config,
        dataDirectory: join(site.world.folder, 'authenticator'),
      });
      const children = new Children();
      try {
        const settings = [
          '--config',
          join(site.world.folder, 'authenticator.json'),
          '--port',
          `${await freePort()}`,
        ];
        expect(await (await children.serve('authenticator', settings)).end('SIGTERM')).toBe(0);
      } finally {
        await children.stop();
      }
    },
  },
  {
    of: /^eigenveil-authenticator relying invite u-4711 --service-url \S+$/,
    run: async (site, command) => (await Stage.of(site)).give(command),
  },
  {
    of: /^EIGENVEIL_DEVICE_TOKEN=<token> eigenveil-authenticator device enrol .+/,
    async run(site, command) {
      const stage = await Stage.of(site);
      await site.remove('device');
      await stage.give(command, [['<token>', await stage.give(TOKEN)]]);
    },
  },
  {
    // It would go on until it is told to end.
    of: /^eigenveil-authenticator relying decisions --follow .+/,
    run: (site, command) => asUser(site, command.replace(' --follow', '')),
  },
  {
    of: /^eigenveil-authenticator device observe --data - < \/dev\/sensor$/,
    run: (site, command) => asUser(site, command.replace('- < /dev/sensor', 'later.csv')),
  },
  {
    of: /^eigenveil-authenticator relying confirm .+/,
    run: (site, command) =>
      asUser(site, command, (stage) => stage.device().observe(stage.people[0].later.slice(0, 1))),
  },
  {
    of: /^eigenveil-authenticator relying unlock .+/,
    run: (site, command) =>
      asUser(site, command, async (stage, user) => {
        const { authentication, people } = stage;
        const [own, other] = people;
        const device = stage.device();
        await device.observe(own.later.slice(0, 1));
        await authentication.confirm(UserId.parse(user));
        for (let i = 0; i < 5; i += 1) await device.observe(other.later);
        expect(await authentication.decisionOf(UserId.parse(user))).toBe('lock');
      }),
  },
  {
    of: /^eigenveil-authenticator relying (?:invite u-4711 --renew|revoke u-4711) --service-url \S+$/,
    run: (site, command) => asUser(site, command),
  },
  {
    of: /^EIGENVEIL_DEVICE_TOKEN=<token> eigenveil-authenticator device renew .+/,
    async run(site, command) {
      const stage = await Stage.of(site);
      const user = 'u-renewed';
      await stage.enrolled(user);
      const token = await stage.give(TOKEN.replace(NAME, `${user} --renew`));
      await stage.give(command, [['<token>', token]]);
    },
  },
];
