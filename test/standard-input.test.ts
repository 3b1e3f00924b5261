/** Rows on standard input: what is read of them, what is refused, and what is left when the command ends in the middle. */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { signedResult } from '@eigenveil/made-up/signed-result';
import { Task, TaskProposal } from '@eigenveil/task';
import { Children } from '@eigenveil/testbed/processes/programs';
import { generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { dataFile } from './support/tasks.ts';

const children = new Children();
const folder = await mkdtemp(join(tmpdir(), 'eigenveil-input-'));
const path = (name: string) => join(folder, name);
/** The folder for temporary files of the commands. */
const environment = { TMPDIR: path('tmp') };
const rows = await readFile(dataFile('iris'));
let projecting: string[];

beforeAll(async () => {
  const newKey = async () => importSigningKey(await generatePrivateJwk());
  const [csp, dataUser] = [await newKey(), await newKey()];
  const proposal = TaskProposal.parse({
    ...{ method: { kind: 'pca' }, outputs: ['mean'], components: 1, labellings: [] },
    features: ['sepal_length', 'petal_width'].map((name) => ({ name, min: 0, max: 10 })),
    ...{ minimumOwners: 2, maximumOwners: 5, maximumSamplesPerOwner: 100 },
    deadline: '2031-01-01T00:00:00Z',
  });
  const keys = { csp: csp.thumbprint, dataUser: dataUser.thumbprint };
  const task = Task.parse({ ...proposal, protocol: 'eigenveil/1', id: 'A'.repeat(22), ...keys });
  const numbers = { vectors: [[0.6, 0.8]], eigenvalues: [30], mean: [0.25, -0.125] };
  await writeFile(path('evidence.json'), JSON.stringify(await signedResult(csp, dataUser, task, numbers)));
  projecting = ['--projection', path('evidence.json'), '--csp-thumbprint', csp.thumbprint];
});
beforeEach(async () => {
  await rm(path('tmp'), { recursive: true, force: true });
  await rm(path('out'), { recursive: true, force: true });
  await mkdir(path('tmp'));
  await mkdir(path('out'));
});
afterAll(async () => {
  await children.stop();
  await rm(folder, { recursive: true });
});

async function* whole(bytes: Uint8Array) {
  yield bytes;
}
/** Bytes of somebody who then goes on without an end. */
async function* unfinished(bytes: Uint8Array, atEnd: () => Promise<void> = () => new Promise(() => {})) {
  yield bytes;
  await atEnd();
  await new Promise(() => {});
}

const project = (pieces: Parameters<Children['feed']>[2]) => {
  const words = ['--json', 'project', ...projecting, '--data', '-', '--out', path('out/reduced.csv')];
  return children.feed('owner', words, pieces, environment);
};
const draft = (pieces: Parameters<Children['feed']>[2]) =>
  children.feed('user', ['--json', ...drafting('-')], pieces, environment);
const drafting = (data: string) =>
  ['task', 'draft', 'pca', '--data', data, '--ignore', 'label', '--components', '1'].concat('--owners', '3');

test('are reduced as rows of a file are, also in a gzip archive', async () => {
  const words = [...projecting, '--data', dataFile('iris'), '--out', path('file.csv')];
  const told = jsonOf(await runInProcess('owner', '--json', 'project', ...words));
  for (const bytes of [rows, gzipSync(rows)]) {
    const answer = jsonOf(await project(() => whole(bytes)));
    expect(answer).toEqual({ ...told, out: path('out/reduced.csv') });
    expect(await readFile(path('out/reduced.csv'))).toEqual(await readFile(path('file.csv')));
  }
});

test('give the draft that a file gives, which reads them several times, and leave nothing behind', async () => {
  const expected = jsonOf(await runInProcess('user', '--json', ...drafting(dataFile('iris'))));
  expect(jsonOf(await draft(() => whole(rows)))).toEqual({ ...expected, deadline: expect.any(String) });
  expect(await readdir(path('tmp'))).toEqual([]);
});

describe('are refused', () => {
  test('as Parquet, while its writer has not ended', async () => {
    const bytes = Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(100)]);
    for (const command of [project, draft])
      expect(problemOf(await command(() => unfinished(bytes)))).toMatchObject({
        exitCode: 2,
        code: 'ERR_FILE_UNREADABLE',
        detail: 'standard input expected CSV, got Parquet, which is read from its end: name a file of it',
      });
  });

  test('as a gzip archive that is cut off, and nothing is written', async () => {
    const cut = gzipSync(rows).subarray(0, -20);
    expect(problemOf(await project(() => whole(cut)))).toMatchObject({
      exitCode: 2,
      code: 'ERR_FILE_UNREADABLE',
    });
    expect(await readdir(path('out'))).toEqual([]);
  });

  test('for a series, whose tasks would each need them', async () => {
    const words = ['serve-series', 'A'.repeat(22), '--user-url', 'https://127.0.0.1:1', '--data', '-'];
    const answer = await runInProcess('owner', '--json', ...words);
    expect(problemOf(answer)).toMatchObject({ exitCode: 2, code: 'ERR_CONFIGURATION' });
  });
});

describe('when Ctrl-C comes in the middle', () => {
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await sleep(20);
  };

  test('no reduced row is left', async () => {
    let drafts: string[] = [];
    const { exitCode, stdout } = await project((child) =>
      unfinished(rows, async () => {
        await until(async () => {
          drafts = await readdir(path('out'));
          return drafts.length > 0;
        });
        child.kill('SIGINT');
      }),
    );
    expect(drafts).toEqual([expect.stringMatching(/^reduced\.csv\..*tmp$/)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: null, stdout: '' }); // ended by the signal
    expect(await readdir(path('out'))).toEqual([]);
  });

  test('no row of a sample is left', async () => {
    const { exitCode } = await draft((child) =>
      unfinished(rows, async () => {
        const isNameless = async () => {
          const files = await readdir(`/proc/${child.pid}/fd`).catch(() => []);
          const names = await Promise.all(
            files.map((fd) => readlink(`/proc/${child.pid}/fd/${fd}`).catch(() => '')),
          );
          const isOpen = names.some((name) => name.startsWith(path('tmp')) && name.endsWith(' (deleted)'));
          return isOpen && (await readdir(path('tmp'))).length === 0;
        };
        await until(isNameless);
        child.kill('SIGINT');
      }),
    );
    expect(exitCode).toBeNull();
    expect(await readdir(path('tmp'))).toEqual([]);
  });
});

/** Two rows. */
const ROWS = '5.1,3.5,1.4,0.2,some text that fills the row\n7.5,3.0,5.1,2.5,some other text that does so\n';

/** The most memory that a process has had so far, in MB. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1000;
}

test('are as many as somebody has, in the same memory', { tags: ['long'] }, async () => {
  // 9 MB and 90 MB of text.
  const peaks: number[] = [];
  for (const millions of [0.2, 2]) {
    const block = Buffer.from(ROWS.repeat(5000));
    const answer = await project(async function* (child) {
      yield 'sepal_length,sepal_width,petal_length,petal_width,comment\n';
      for (let blocks = 0; blocks < 100 * millions; blocks += 1) yield block;
      peaks.push(await peakOf(child.pid));
    });
    expect(jsonOf(answer)).toMatchObject({ rows: 1e6 * millions });
  }
  const [few, many] = peaks;
  expect(many! - few!).toBeLessThan(60);
});
