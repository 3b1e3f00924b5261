/** The whole protocol over processes and TLS as in the demo, with every connection through a proxy that counts its bytes. */

import { join } from 'node:path';
import type { ProjectionKind } from '@eigenveil/methods';
import type { Task } from '@eigenveil/task';
import { type Children, withChildren } from '@eigenveil/testbed/processes/children';
import { canReadUsage, type Usage, usageOf } from '@eigenveil/testbed/processes/process-usage';
import { CountingProxy, type Tally } from '@eigenveil/testbed/proxies/counting-proxy';
import { splitAmongOwners } from '../demo/dataset.ts';
import { demoPolicy, enrolOwners, startOwners } from '../demo/owners.ts';
import { startServices } from '../demo/services.ts';
import { compute, createTask, ignoredBy } from '../demo/task.ts';

interface WholeCase {
  readonly dataset: string;
  readonly method: ProjectionKind;
  readonly twoParty: Task['twoParty'];
  readonly owners: number;
  readonly components: number;
}

/** The use of every process of a role; there are as many of the owners as there are owners. */
export interface UsageByRole {
  readonly csp: Usage;
  readonly dataUser: Usage;
  readonly owners: readonly Usage[];
}

export interface WholeRun {
  /** All processes started, nobody asked for anything yet; undefined where there is no /proc. */
  readonly idle: UsageByRole | undefined;
  /** The use after the owners have fetched the projection and reduced their rows. */
  readonly ended: UsageByRole | undefined;
  /** All owners together at the CSP: they enrol. */
  readonly ownersAtCsp: Tally;
  /** The data user at the CSP: requests and the two-party channel. */
  readonly dataUserAtCsp: Tally;
  /** All owners together at the data user: task, contribution, receipt, projection. */
  readonly ownersAtDataUser: Tally;
  /** The time from the proposal of the task to the owners' reduced rows. */
  readonly taskMilliseconds: number;
  readonly owners: number;
  readonly features: number;
  /** As the task has them: at most as many as it may reveal. */
  readonly components: number;
}

const KEY_BITS = 2048;
const LABEL = 'label';

export function runWhole(wanted: WholeCase, file: string, note: (text: string) => void): Promise<WholeRun> {
  return withChildren(async (children, folder) => {
    const atCsp = await CountingProxy.start<'owners' | 'data user'>('owners');
    const atDataUser = await CountingProxy.start<'owners' | 'operator'>('operator');
    try {
      return await runThrough(wanted, { file, children, folder, atCsp, atDataUser, note });
    } finally {
      atCsp.close();
      atDataUser.close();
    }
  });
}

async function runThrough(
  { method, twoParty, owners: count, components }: WholeCase,
  place: {
    readonly file: string;
    readonly children: Children;
    readonly folder: string;
    readonly atCsp: CountingProxy<'owners' | 'data user'>;
    readonly atDataUser: CountingProxy<'owners' | 'operator'>;
    readonly note: (text: string) => void;
  },
): Promise<WholeRun> {
  const { file, children, folder, atCsp, atDataUser, note } = place;
  const silent = () => undefined;
  note('starting processes');
  const files = await splitAmongOwners(file, count, folder);
  const urlOf = ({ port }: { readonly port: number }) => `https://127.0.0.1:${port}`;
  const services = await startServices(
    children,
    { folder, keyBits: KEY_BITS, twoParty, publicUrls: { csp: urlOf(atCsp), dataUser: urlOf(atDataUser) } },
    silent,
  );
  const { csp, dataUser, client } = services;
  atCsp.target = Number(new URL(csp.listensOn).port);
  atDataUser.target = Number(new URL(dataUser.listensOn).port);
  const owners = await startOwners(children, count, silent);
  const usage = async (): Promise<UsageByRole | undefined> =>
    canReadUsage()
      ? {
          csp: await usageOf(csp.pid),
          dataUser: await usageOf(dataUser.pid),
          owners: await Promise.all(owners.pids.map(usageOf)),
        }
      : undefined;
  const idle = await usage();

  // Only owners connect to the CSP when they enrol, and only the data user afterwards.
  await enrolOwners(
    owners,
    services,
    { folder, policy: demoPolicy(KEY_BITS, twoParty), more: (i) => ({ data: files[i]! }) },
    silent,
  );
  atCsp.client = 'data user';

  // At the data user, the operator and the owners take turns.
  const setting = {
    data: file,
    label: LABEL,
    ignore: [],
    owners: count,
    components,
    keyBits: KEY_BITS,
    twoParty,
  };
  const started = performance.now();
  const { task } = await createTask(client, setting, method);
  note('owners encrypt and send');
  atDataUser.client = 'owners';
  const ignore = ignoredBy(setting, method);
  await owners.all(() => ({ kind: 'contribute', taskId: task.id, ignore }), silent);
  atDataUser.client = 'operator';
  note('the servers compute');
  await compute(client, task.id, silent, note);
  atDataUser.client = 'owners';
  await owners.all(
    (i) => ({ kind: 'project', taskId: task.id, out: join(folder, `reduced-${i + 1}.csv`) }),
    silent,
  );
  const taskMilliseconds = performance.now() - started;
  const ended = await usage();
  await client.close();
  return {
    idle,
    ended,
    ownersAtCsp: atCsp.tally('owners'),
    dataUserAtCsp: atCsp.tally('data user'),
    ownersAtDataUser: atDataUser.tally('owners'),
    taskMilliseconds,
    owners: count,
    features: task.features.length,
    components: task.components,
  };
}
