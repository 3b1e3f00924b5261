/** One data owner of the demo as a process of its own: it does what the demo asks for, with the owner's library. */
import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { DataOwner, OwnerHome, type OwnerPolicy, Projector, reduceFile } from '@eigenveil/data-owner';
import { PaillierPool } from '@eigenveil/paillier';
import { readFileBytes, statisticsOfCsv } from '@eigenveil/statistics';
import type { TaskId } from '@eigenveil/task';
import type { Thumbprint } from '@eigenveil/wire';

/** What every owner of the demo is told first. */
export interface OwnerSetting {
  readonly home: string;
  readonly data: string;
  readonly caFile: string;
  readonly cspUrl: string;
  readonly dataUserUrl: string;
  readonly policy: OwnerPolicy;
}

/** What the demo asks for, one thing at a time. */
export type OwnerRequest =
  | {
      readonly kind: 'enrol';
      readonly setting: OwnerSetting;
      readonly token: string;
      readonly cspThumbprint: Thumbprint;
    }
  | { readonly kind: 'contribute'; readonly taskId: TaskId; readonly ignore: readonly string[] }
  | { readonly kind: 'project'; readonly taskId: TaskId; readonly out: string };

export type OwnerAnswer =
  | { readonly milliseconds: number; readonly rows: number }
  | { readonly error: string };

interface Enrolled {
  readonly owner: DataOwner;
  readonly dataUser: { readonly url: string; readonly ca: string };
  readonly data: string;
}
let enrolled: Enrolled | undefined;

async function enrol(setting: OwnerSetting, token: string, cspThumbprint: Thumbprint): Promise<Enrolled> {
  const ca = await readFile(setting.caFile, 'utf8');
  const owner = new DataOwner({
    state: new OwnerHome(setting.home),
    policy: setting.policy,
    paillier: new PaillierPool({ threads: 0 }),
    patienceMilliseconds: 10_000,
  });
  await owner.enrol({ url: setting.cspUrl, ca }, token, cspThumbprint);
  return { owner, dataUser: { url: setting.dataUserUrl, ca }, data: setting.data };
}

/** Does what was asked for and returns how many rows it worked on. */
async function perform(request: OwnerRequest): Promise<number> {
  if (request.kind === 'enrol') {
    enrolled = await enrol(request.setting, request.token, request.cspThumbprint);
    return 0;
  }
  if (enrolled === undefined) throw new Error('an owner is to be enrolled first');
  const { owner, dataUser, data } = enrolled;
  const { taskId } = request;
  if (request.kind === 'project') {
    const { task, projection } = await owner.result(dataUser, taskId);
    return (await reduceFile(new Projector(task, projection), data, request.out)).rows;
  }
  let rows = 0;
  await owner.contribute(dataUser, taskId, async (task) => {
    const summary = await statisticsOfCsv(readFileBytes(data), task, {
      ignoredColumns: request.ignore,
    });
    rows = summary.rows;
    return summary.statistics;
  });
  return rows;
}

process.on('message', (request: OwnerRequest) => {
  const started = performance.now();
  perform(request).then(
    (rows) => process.send!({ milliseconds: performance.now() - started, rows } satisfies OwnerAnswer),
    (error: unknown) => process.send!({ error: String(error) } satisfies OwnerAnswer),
  );
});
process.on('disconnect', () => process.exit());
flushCompileCache(); // it is killed in the end
process.send!('ready');
