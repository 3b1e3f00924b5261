/** On what and with what a benchmark ran: without it a figure says nothing. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const Environment = z.strictObject({
  /** The commit, and a digest of what differs from it. */
  commit: z.string(),
  changes: z.string().nullable(),
  processor: z.string(),
  cores: z.int(),
  memoryBytes: z.number(),
  system: z.string(),
  node: z.string(),
  openssl: z.string(),
  packages: z.record(z.string(), z.string()),
});
export type Environment = z.infer<typeof Environment>;

/** The programs whose speed is part of what is measured. */
const MEASURED_PACKAGES = ['paillier-bigint', 'bigint-crypto-utils', 'ml-matrix', 'libsvm-js'];

export async function describeEnvironment(): Promise<Environment> {
  const lock = z
    .object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) })
    .parse(JSON.parse(await readFile(`${ROOT}/package-lock.json`, 'utf8')));
  return {
    ...(await describeSource()),
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    openssl: process.versions.openssl,
    packages: Object.fromEntries(
      MEASURED_PACKAGES.map((name) => [name, lock.packages[`node_modules/${name}`]?.version ?? 'absent']),
    ),
  };
}

/** Outside of a checkout there is no commit to name. */
async function describeSource(): Promise<Pick<Environment, 'commit' | 'changes'>> {
  const git = async (...args: string[]) =>
    (await run('git', args, { cwd: ROOT, maxBuffer: 2 ** 28 })).stdout.trim();
  try {
    const [commit, difference, status] = await Promise.all([
      git('rev-parse', 'HEAD'),
      git('diff', 'HEAD'),
      git('status', '--porcelain'),
    ]);
    const changes = createHash('sha256').update(difference).update(status).digest('hex').slice(0, 12);
    return { commit, changes: status === '' ? null : changes };
  } catch {
    return { commit: 'unknown', changes: null };
  }
}
