/** Three people with a projection that they have computed together, and an authenticator for them, behind a proxy that can be disturbed. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AuthenticatorConfiguration,
  type AuthenticatorOverrides,
  type RunningAuthenticator,
  startAuthenticator,
} from '@eigenveil/authenticator';
import { calibrated } from '@eigenveil/authenticator/calibrate';
import { DeviceClient, DeviceHome } from '@eigenveil/authenticator/device';
import { type DecisionEvent, RelyingClient, UserId } from '@eigenveil/authenticator/relying';
import { signedResult } from '@eigenveil/made-up/signed-result';
import type { Output } from '@eigenveil/methods';
import type { SignedProjection } from '@eigenveil/projection';
import { Task } from '@eigenveil/task';
import { freePort } from '@eigenveil/testbed/port';
import { FaultyProxy } from '@eigenveil/testbed/proxies/proxy';
import type { Thumbprint } from '@eigenveil/wire';
import { newKey, newPlace, type Place } from '../../services/authenticator/test/authenticator.ts';
import { dataFile, exampleOf, type LabelledRows, reference, splitByClass } from './tasks.ts';

export const PEOPLE = ['setosa', 'versicolor', 'virginica'].map((name) => UserId.parse(name));
/** Of each person's 50 rows; the others come later. */
const ENROLLED = 30;

/** Rows of one person, in the features' units. */
export interface Person {
  readonly userId: UserId;
  readonly enrolment: readonly number[][];
  readonly later: readonly number[][];
}

/** What a projection comes with. */
export interface Projected {
  readonly evidence: SignedProjection;
  readonly csp: Thumbprint;
  readonly people: readonly Person[];
}

/** Irises as people: each class is one. */
export async function irises(): Promise<Awaited<ReturnType<typeof exampleOf>> & { parts: LabelledRows[] }> {
  const example = await exampleOf(dataFile('iris'), 'dca', { outputs: ['mean'] });
  return { ...example, parts: splitByClass(example.rows, PEOPLE.length) };
}

export function peopleOf(parts: readonly LabelledRows[]): Person[] {
  return parts.map(({ values }, i) => ({
    userId: PEOPLE[i]!,
    enrolment: values.slice(0, ENROLLED),
    later: values.slice(ENROLLED),
  }));
}

/** The same projection as the services compute, signed by keys that are made here. */
export async function projectedHere(outputs: readonly Output[] = ['mean']): Promise<Projected> {
  const { proposal, parts } = await irises();
  const [csp, dataUser] = [await newKey(), await newKey()];
  const task = Task.parse({
    ...proposal,
    outputs,
    csp: csp.thumbprint,
    dataUser: dataUser.thumbprint,
    protocol: 'eigenveil/1',
    id: 't'.repeat(22),
  });
  const { vectors, eigenvalues, mean } = reference(proposal, parts).decomposition;
  const numbers = {
    vectors: vectors.map((it) => [...it]),
    eigenvalues: [...eigenvalues],
    ...(outputs.includes('mean') && { mean }),
  };
  const evidence = await signedResult(csp, dataUser, task, numbers);
  return { evidence, csp: csp.thumbprint, people: peopleOf(parts) };
}

/** The entry of the setting `projections`, calibrated with the people's first rows. */
export async function entryOf({ evidence, csp, people }: Projected) {
  return calibrated(
    { evidence, csp },
    people.map(({ enrolment }) => enrolment),
    { score: 'mahalanobis', promised: { kind: 'trust', windowsPerFalseStepUp: 1000 } },
  );
}

export class AuthenticationSite {
  readonly folder: string;
  readonly ca: string;
  readonly projected: Projected;
  readonly proxy: FaultyProxy;
  readonly config: AuthenticatorConfiguration;
  readonly relying: RelyingClient;
  #running: RunningAuthenticator | undefined;
  #homes = 0;

  private constructor({ folder, tls, relying, config }: Place, projected: Projected, proxy: FaultyProxy) {
    this.folder = folder;
    this.ca = tls.cert;
    this.projected = projected;
    this.proxy = proxy;
    this.config = config;
    this.relying = new RelyingClient({ service: this.service, key: relying });
  }

  static async start(
    projected: Projected,
    overrides: AuthenticatorOverrides = {},
  ): Promise<AuthenticationSite> {
    // Devices come in through the proxy, which finds the service at the same port after a restart.
    const port = await freePort();
    const place = await newPlace({
      port,
      projections: [await entryOf(projected)],
      // Templates stay as they are enrolled.
      learnAfterStepUp: 1_000_000,
      learnAfterRun: 1_000_000,
    });
    const proxy = await FaultyProxy.start(place.tls);
    proxy.upstreamPort = port;
    const config = { ...place.config, publicUrl: proxy.url };
    const site = new AuthenticationSite({ ...place, config }, projected, proxy);
    await site.open({}, overrides);
    return site;
  }

  get service() {
    return { url: this.proxy.url, ca: this.ca };
  }

  async open(
    changes: Partial<AuthenticatorConfiguration> = {},
    overrides: AuthenticatorOverrides = {},
  ): Promise<void> {
    this.#running = await startAuthenticator({ ...this.config, ...changes }, overrides);
  }

  async restart(
    changes: Partial<AuthenticatorConfiguration> = {},
    overrides: AuthenticatorOverrides = {},
  ): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
    await this.open(changes, overrides);
  }

  /** A folder of a device that is used nowhere else. */
  newHome(): string {
    this.#homes += 1;
    return join(this.folder, `device-${this.#homes}`);
  }

  device(home = this.newHome(), patienceMilliseconds = 0): DeviceClient {
    return new DeviceClient({ home: new DeviceHome(home), patienceMilliseconds });
  }

  /** The person's device, enrolled as `userId`. */
  async enrolled(person: Person, userId: UserId, home = this.newHome()): Promise<DeviceClient> {
    const device = this.device(home);
    const { token } = await this.relying.invite({ body: { userId, purpose: 'enrol' } });
    const { evidence, csp } = this.projected;
    await device.enrol({ service: this.service, token, evidence, csp }, person.enrolment);
    return device;
  }

  /** Confirms what the user waits at. */
  async confirm(userId: UserId): Promise<void> {
    const { event } = await this.relying.user({ userId });
    await this.relying.confirm({ userId, body: { event } });
  }

  async decisionOf(userId: UserId): Promise<DecisionEvent['decision']> {
    return (await this.relying.user({ userId })).decision;
  }

  /** A user's events, as decision and reason. */
  async historyOf(userId: UserId): Promise<string[]> {
    const history: string[] = [];
    for await (const event of this.relying.past({ after: 0 }))
      if (event.userId === userId) history.push(`${event.decision}: ${event.reason}`);
    return history;
  }

  async close(): Promise<void> {
    await this.relying.close();
    await this.#running?.close();
    await this.proxy.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
