/** What the commands tell of a task and of its result: no service runs, and what one would answer is put in its place. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataOwner, OwnerPolicy } from '@eigenveil/data-owner';
import { brokenRules } from '@eigenveil/data-owner/portable';
import { TaskClient } from '@eigenveil/data-user';
import { tellingOf } from '@eigenveil/projection';
import type { Task } from '@eigenveil/task';
import { Digest, type Projection } from '@eigenveil/wire';
import { vi } from 'vitest';
import { runInProcess } from '../in-process.ts';

const NOBODY = 'https://127.0.0.1:1';
const asOwner = (folder: string) => ['--home', join(folder, 'home'), '--user-url', NOBODY];
const AS_OPERATOR = ['--url', NOBODY, '--admin-token', 'token'];

const DIGEST = Digest.parse('p'.repeat(43));
const SIGNED = { statement: '', countersignature: '', salt: DIGEST };

type Told = Awaited<ReturnType<typeof runInProcess>>;

function textOf(folder: string, { exitCode, stdout, stderr }: Told): string {
  const all = `${stderr}${stdout}`.replaceAll(`${folder}/`, '').trimEnd();
  return exitCode === 0 ? all : `exit code ${exitCode}\n${all}`;
}

/** What the owner's `show` says of a task: who learns what, and what the default policy refuses of it. */
export async function toldToOwner(folder: string, task: Task): Promise<string> {
  const broken = brokenRules(OwnerPolicy.parse({}), task);
  const inspecting = vi.spyOn(DataOwner.prototype, 'inspect').mockResolvedValue({ task, basis: [], broken });
  const affording = vi.spyOn(DataOwner.prototype, 'overBudget').mockResolvedValue(null);
  try {
    return textOf(folder, await runInProcess('owner', 'show', task.id, ...asOwner(folder)));
  } finally {
    inspecting.mockRestore();
    affording.mockRestore();
  }
}

/** The notes of the data user's `task create`, before the task is proposed. */
export async function notesOfProposal(folder: string, task: Task): Promise<string> {
  const { protocol: _, id, csp: __, dataUser: ___, ...proposal } = task;
  const file = join(folder, 'proposal.json');
  await writeFile(file, JSON.stringify(proposal));
  const creating = vi.spyOn(TaskClient.prototype, 'create').mockResolvedValue({ task, agreement: '' });
  try {
    const args = ['task', 'create', '--proposal', file, '--id', id, ...AS_OPERATOR];
    return textOf(folder, await runInProcess('user', ...args));
  } finally {
    creating.mockRestore();
    await rm(file);
  }
}

/** What the data user's `task result` says of a result, as text and as a table. */
export async function toldOfResult(
  folder: string,
  task: Task,
  projection: Projection,
  verifiedOwners: number,
): Promise<string> {
  const provenance = { ...SIGNED, verifiedOwners };
  const spies = [
    vi.spyOn(TaskClient.prototype, 'signed').mockResolvedValue({ task, agreement: '' }),
    vi.spyOn(TaskClient.prototype, 'resultWithProvenance').mockResolvedValue({ projection, provenance }),
  ];
  try {
    const result = (...flags: string[]) =>
      runInProcess('user', 'task', 'result', task.id, ...AS_OPERATOR, ...flags);
    return [await result(), await result('--format', 'csv')].map((told) => textOf(folder, told)).join('\n\n');
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const ROWS_REDUCED = 4;

/** What the owner's `project` says of a result, and a few rows as it reduces them. */
export async function reducedBy(
  folder: string,
  task: Task,
  projection: Projection,
  verifiedOwners: number,
  rows: string,
): Promise<string> {
  const lines = (await readFile(join(folder, rows), 'utf8')).split('\n').slice(0, ROWS_REDUCED + 1);
  const [from, out, save] = ['rows.csv', 'reduced.csv', 'saved.json'].map((name) => join(folder, name));
  await writeFile(from!, `${lines.join('\n')}\n`);
  const fetching = vi.spyOn(DataOwner.prototype, 'result').mockResolvedValue({
    ...{ task, projection, basis: [] },
    provenance: {
      ...{ verifiedOwners, contributionsRoot: DIGEST, unblindingDigest: DIGEST, projectionDigest: DIGEST },
    },
    evidence: {
      ...{ task, agreement: '', projection: '' },
      provenance: { ...SIGNED, inclusion: { index: 0, path: [] } },
    },
  });
  try {
    const flags = tellingOf(task).rows === undefined ? ['--save', save!] : ['--data', from!, '--out', out!];
    const told = await runInProcess('owner', 'project', task.id, ...asOwner(folder), ...flags);
    const reduced = told.exitCode === 0 && flags.includes(out!) ? await readFile(out!, 'utf8') : '';
    return `${textOf(folder, told)}\n${reduced}`.trimEnd();
  } finally {
    fetching.mockRestore();
    for (const file of [from, out, save]) await rm(file!, { force: true });
  }
}
