/** The commands `backup` and `restore`, and what a data directory holds that no backup may hold. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import { expect } from 'vitest';
import { query } from './database.ts';
import { runInProcess } from './in-process.ts';

export type Name = 'csp' | 'user';

export const backUp = (name: Name, dataDirectory: string, to: string) =>
  runInProcess(name, '--json', 'backup', '--data-directory', dataDirectory, '--to', to);
export const restore = (name: Name, dataDirectory: string, from: string) =>
  runInProcess(name, '--json', 'restore', '--data-directory', dataDirectory, '--from', from);

/** What a command prints that must succeed. */
export async function succeeds(finished: Promise<Finished>): Promise<Record<string, unknown>> {
  const { stdout, ...rest } = await finished;
  expect(rest).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The problem of a command that must fail, through no fault of ours. */
export async function fails(finished: Promise<Finished>): Promise<{ code: string; detail: string }> {
  const { stdout, stderr, exitCode } = await finished;
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  return JSON.parse(stderr) as { code: string; detail: string };
}

/** Loses everything of a service but its identity. */
export async function lose(dataDirectory: string): Promise<void> {
  const key = await readFile(join(dataDirectory, 'signing-key.json'));
  await rm(dataDirectory, { recursive: true });
  await mkdir(dataDirectory, { mode: 0o700 });
  await writeFile(join(dataDirectory, 'signing-key.json'), key, { mode: 0o600 });
}

const SECRETS = {
  csp: 'SELECT sealed_secret_key AS a, sealed_shares AS b FROM tasks',
  user: 'SELECT sealed_blinding AS a, blinded AS b FROM tasks UNION SELECT bytes, NULL FROM contribution_bodies',
} as const;

/** Sealed values of tasks, and what a computation needs of them. */
export function secretsOf(name: Name, dataDirectory: string): Uint8Array[] {
  return query(dataDirectory, SECRETS[name]).flatMap(
    ({ a, b }) => [a, b].filter((it) => it !== null) as Uint8Array[],
  );
}
