/** From one file and one randomness, a browser's contribution is the command line's, bit for bit; and it refuses what the command line refuses. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { generateKeyPair, type SecretKey } from '@eigenveil/paillier';
import { encryptMany } from '@eigenveil/paillier/owner';
import type { Words } from '@eigenveil/platform';
import { contribute } from '@eigenveil/protocol/owner';
import { flatten, layout, readFileBytes, statisticsOfCsv } from '@eigenveil/statistics';
import { browserMissing, launchOptions } from '@eigenveil/studies/instrument/report/in-browser';
import type { Task } from '@eigenveil/task';
import { chromium, type JSHandle } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../../build/build.ts';
import type { ReadingOptions } from '../../src/owner/jobs.ts';
import type * as ownerJobs from '../support/owner-jobs.ts';
import type { Given } from '../support/owner-jobs.ts';
import { seeded } from '../support/seeded.ts';

type Jobs = typeof ownerJobs;
const KEY = { keyBits: 1024, allowInsecureKey: true } as const;
const PRIVACY = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1.5,
  noise: 'owners',
  honestOwners: 2,
  dataIndependentRanges: true,
} as const;

/** Cells of some rows: within the ranges, at their ends and beyond. */
const cell = (row: number, i: number) => (0.5 + 0.6 * Math.sin(1 + row * (i + 2))).toFixed((row + i) % 9);
const ROWS = 90;
const features = (d: number) => Array.from({ length: d }, (_, i) => `f${i}`);

/** As statistics programs write them: names and labels in quotes, an identifier with line ends and quotes of its own. */
function fileOf(d: number, labels: readonly string[], lineEnd: string): string {
  const header = ['id', ...labels, ...features(d)].map((name) => `"${name}"`).join(',');
  const lines = Array.from({ length: ROWS }, (_, row) =>
    [
      `"${row}, ""x""${lineEnd}é"`,
      ...labels.map((_, l) => `"class ${(row + l) % 3}"`),
      ...features(d).map((_, i) => (row === 7 && i === 2 ? 'NA' : cell(row, i))),
    ].join(','),
  );
  return [header, ...lines, ''].join(lineEnd);
}

interface Case {
  readonly task: Task;
  readonly text: string;
  readonly name: string;
  readonly options: ReadingOptions;
}

const skipping = { ignoredColumns: ['id'], missing: 'skip' } as const;
const CASES: Readonly<Record<string, Case>> = {
  'a PCA of a plain file, standard': {
    task: madeUpTask('pca', 6, { ...KEY, encryption: 'standard' }),
    text: [
      features(6).join(';'),
      ...Array.from({ length: ROWS }, (_, row) =>
        features(6)
          .map((_, i) => cell(row, i).replace('.', ','))
          .join(';'),
      ),
    ].join('\r\n'),
    name: 'rows.csv',
    options: { separator: 'semicolon', decimal: 'comma' },
  },
  'an LDA with labels in a .gz file, djn': {
    task: madeUpTask('lda', 5, { ...KEY, encryption: 'djn' }),
    text: fileOf(5, ['label'], '\n'),
    name: 'rows.csv.GZ',
    options: skipping,
  },
  'a PCA under differential privacy with the noise of owners, djn': {
    task: madeUpTask('pca', 6, { ...KEY, encryption: 'djn', differentialPrivacy: PRIVACY }),
    text: fileOf(6, [], '\r\n'),
    name: 'rows.csv',
    options: skipping,
  },
  'an MDR with two labellings, standard': {
    task: madeUpTask('mdr', 4, { ...KEY, encryption: 'standard' }),
    text: fileOf(4, ['label', 'secret'], '\r'),
    name: 'rows.csv',
    options: skipping,
  },
};

const bytesOf = ({ text, name }: Pick<Case, 'text' | 'name'>) =>
  new Uint8Array(name.endsWith('.GZ') ? gzipSync(text) : Buffer.from(text));

let folder: string;
let secretKey: SecretKey;
let script: Uint8Array;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-same-'));
  secretKey = await generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
  script = await bundled('../test/support/owner-jobs.ts');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const givenOf = ({ task, name, options, ...it }: Case): Given => {
  const { n, h } = secretKey.publicKey;
  return { bytes: bytesOf({ ...it, name }), name, task, options, publicKey: { n, h: h! }, seed: 'same' };
};

/** As `eigenveil-owner contribute` does it, but for the randomness. */
async function byCommandLine({
  task,
  text,
  name,
  options,
}: Case): Promise<Awaited<ReturnType<Jobs['contributionOf']>>> {
  const path = join(folder, name);
  await writeFile(path, bytesOf({ text, name }));
  const missingCells = new Map<string, number>();
  const remarks: Words['parts'][] = [];
  const rows = await statisticsOfCsv(readFileBytes(path), task, {
    ...options,
    onMissing: (column) => missingCells.set(column, (missingCells.get(column) ?? 0) + 1),
    onRemark: (remark) => remarks.push(typeof remark === 'string' ? [remark] : remark.parts),
  });
  const randomness = seeded('same');
  const paillier = {
    encrypt: (...[key, plaintexts, scheme]: Parameters<typeof encryptMany>) =>
      encryptMany(key, plaintexts, scheme, randomness),
  };
  const under = { task, publicKey: secretKey.publicKey, packing: layout(task) };
  return {
    rows: { ...rows, missingCells: [...missingCells], remarks },
    contribution: await contribute(under, flatten(task, rows.statistics), { paillier, randomness }),
  };
}

/** Texts that are refused, each with what the message must have. */
const WRONG: readonly (readonly [string, RegExp])[] = [
  ['f0,f1\n1,2\n', /^ERR_CSV_COLUMNS .*"f2"/],
  ['f0,f1,f2\n1,2,3\n\n1,x,3\n', /^ERR_CSV_CELL row 2 \(line 4\), column "f1"/],
  [`f0,f1,f2\n${'1,2,3\n'.repeat(30_000)}1,2\n`, /^ERR_CSV_ROW row 30001 \(line 30002\)/],
  [`f0,f1,f2\n${'1,"2",3\n'.repeat(30_000)}1,"2"3,4\n`, /^ERR_CSV_SYNTAX line 30002: .*closing quote/],
  [`f0,f1,f2\n${'1,2,3\n'.repeat(101)}`, /^ERR_TOO_MANY_ROWS/],
  ['f0,f1,f2\n1,"2,3\n', /^ERR_CSV_SYNTAX line 2: .*never closed/],
  ['f0,f1,f2\n', /^ERR_NO_ROWS/],
];

function wrongCases(): Case[] {
  const task = madeUpTask('pca', 3, { ...KEY, encryption: 'djn', maximumSamplesPerOwner: 40_000 });
  const few = { ...task, maximumSamplesPerOwner: 100 };
  return WRONG.map(([text, { source }]) => ({
    task: source.includes('TOO_MANY') ? few : task,
    text,
    name: 'rows.csv',
    options: {},
  }));
}

async function expectRefused(refusalOf: (given: Given) => Promise<string | undefined>): Promise<void> {
  for (const [i, wrong] of wrongCases().entries()) {
    const expected = await byCommandLine(wrong).then(
      () => undefined,
      ({ code, message }) => `${code} ${message}`,
    );
    expect(expected).toMatch(WRONG[i]![1]);
    expect(await refusalOf(givenOf(wrong))).toBe(expected);
  }
}

describe('the code for browsers, run by Node.js', () => {
  let jobs: Jobs;
  beforeAll(async () => {
    const file = join(folder, 'jobs.mjs');
    await writeFile(file, script);
    jobs = (await import(pathToFileURL(file).href)) as Jobs;
  });

  test.each(Object.keys(CASES))('makes the contribution of %s', async (title) => {
    const it = CASES[title]!;
    const expected = await byCommandLine(it);
    const isSkipped = it.options.missing === 'skip';
    expect(expected.rows.skippedRows).toBe(isSkipped ? 1 : 0);
    expect(expected.rows.missingCells).toEqual(isSkipped ? [['f2', 1]] : []);
    expect(Math.max(...expected.rows.clippedCells)).toBeGreaterThan(0);
    expect(await jobs.contributionOf(givenOf(it))).toEqual(expected);
  });

  test('refuses what the command line refuses, in the same words', () => expectRefused(jobs.refusalOf));
});

describe.skipIf(browserMissing)('a browser', { tags: ['long'] }, () => {
  let jobs: JSHandle<Jobs>;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const browser = await chromium.launch(launchOptions);
    close = () => browser.close();
    const page = await browser.newPage();
    await page.route('https://page.test/**', (route) =>
      route.fulfill(
        route.request().url().endsWith('.js')
          ? { body: Buffer.from(script), contentType: 'text/javascript' }
          : { body: '', contentType: 'text/html' },
      ),
    );
    await page.goto('https://page.test/');
    // As text: vitest puts calls of its own in the place of `import`.
    jobs = await page.evaluateHandle<Jobs>("import('/jobs.js')");
  });
  afterAll(() => close());

  test.each(Object.keys(CASES))('makes the contribution of %s', async (title) => {
    const it = CASES[title]!;
    const made = await jobs.evaluate((all, given) => all.contributionOf(given), givenOf(it));
    expect(made).toEqual(await byCommandLine(it));
  });

  test('refuses what the command line refuses, in the same words', () =>
    expectRefused((given) => jobs.evaluate((all, it) => all.refusalOf(it), given)));
});
