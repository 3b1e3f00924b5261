/** The commands `backup`, `backup verify` and `restore`, and what a data directory holds that no backup may hold. */
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import { expect } from 'vitest';
import { query } from './database.ts';
import { runInProcess } from './in-process.ts';

export type Name = 'csp' | 'user';

const IDENTITY = 'signing-key.json';

export const backUp = (name: Name, dataDirectory: string, to: string) =>
  runInProcess(name, '--json', 'backup', '--data-directory', dataDirectory, '--to', to);
export const verify = (name: Name, dataDirectory: string, backup: string) =>
  runInProcess(name, '--json', 'backup', 'verify', backup, '--data-directory', dataDirectory);
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

/** Backs up a service, which may be running, and returns where. */
export async function backedUp(name: Name, dataDirectory: string, to: string): Promise<string> {
  await succeeds(backUp(name, dataDirectory, to));
  return to;
}

/** Makes a data directory that has nothing but the identity of a service. */
export async function emptyOf(dataDirectory: string, target: string): Promise<string> {
  await mkdir(target, { mode: 0o700 });
  await copyFile(join(dataDirectory, IDENTITY), join(target, IDENTITY));
  return target;
}

/** Loses everything of a service but its identity. */
export async function lose(dataDirectory: string): Promise<void> {
  for (const file of await readdir(dataDirectory))
    if (file !== IDENTITY) await rm(join(dataDirectory, file), { recursive: true });
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
