/** The worker of the owner's page, under the policy of that page: what it makes, what it refuses, how it ends. */
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { decodeCiphertexts, decrypt, generateKeyPair, pack, type SecretKey } from '@eigenveil/paillier';
import { flatten, layout } from '@eigenveil/statistics';
import { browserMissing, launchOptions } from '@eigenveil/studies/instrument/report/in-browser';
import type { Task } from '@eigenveil/task';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openWorkerPage, type WorkerPage } from '../../bench/worker-site.ts';
import { bundled } from '../../build/build.ts';
import { watch } from '../support/watch.ts';

const FEATURES = 12;
const ROWS = 20_000;
const task = (changes: Partial<Task>) =>
  madeUpTask('pca', FEATURES, {
    keyBits: 1024,
    allowInsecureKey: true,
    maximumSamplesPerOwner: ROWS,
    ...changes,
  });
const header = Array.from({ length: FEATURES }, (_, i) => `f${i}`).join(',');
const line = (row: number) =>
  Array.from({ length: FEATURES }, (_, i) => (0.5 + 0.4 * Math.sin(row * (i + 1))).toFixed(5)).join(',');
const csv = [header, ...Array.from({ length: ROWS }, (_, row) => line(row))].join('\n');

test('the worker asks for no place of its own: a blob has none', async () => {
  expect(new TextDecoder().decode(await bundled('owner/worker.ts'))).not.toContain('import.meta');
});

describe.skipIf(browserMissing)('the worker of the owner’s page', { tags: ['long'] }, () => {
  let browser: Browser;
  let secretKey: SecretKey;
  let context: BrowserContext;
  let complaints: string[];
  let opened: WorkerPage;
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions);
    secretKey = await generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    context = await browser.newContext();
    complaints = await watch(context, ['https://owner.test']);
    opened = await openWorkerPage(context, { '/rows.csv': csv });
    return async () => {
      await context.close();
      expect(complaints).toEqual([]);
    };
  });

  const under = (encryption: Task['encryption']) => {
    const { n, h } = secretKey.publicKey;
    return { task: task({ encryption }), publicKey: { n, h: h! } };
  };

  test.each(['djn', 'standard'] as const)(
    'reads rows and encrypts their sums (%s), and tells the page how far it is',
    async (scheme) => {
      const { page, worker } = opened;
      const { read, values, contributions, steps } = await worker.evaluate(async (it, under) => {
        const file = new File([await (await fetch('/rows.csv')).blob()], 'rows.csv');
        const steps: [string, number, number][] = [];
        const tell = (what: string) => (done: number, total: number) => void steps.push([what, done, total]);
        const read = await it.readRows(
          { file, task: under.task, basis: [], options: {} },
          { onProgress: tell('bytes') },
        );
        const { R, labellings, owners } = read.statistics;
        const values = [...R, ...labellings.flat().flatMap(({ V, M }) => [...V, M]), owners];
        const onProgress = tell('ciphertexts');
        const contributions = [
          await it.contribution(under, values, { onProgress }),
          await it.contribution(under, values),
        ];
        return { read, values, contributions, steps };
      }, under(scheme));
      expect([read.rows, read.skippedRows]).toEqual([ROWS, 0]);
      expect(values).toEqual(flatten(task({}), read.statistics));

      const packing = layout(task({}));
      const plaintexts = pack(secretKey.publicKey, packing, values);
      for (const bytes of contributions) {
        const ciphertexts = decodeCiphertexts(secretKey.publicKey, bytes, packing.plaintexts.length);
        expect(ciphertexts.map((ciphertext) => decrypt(secretKey, ciphertext))).toEqual(plaintexts);
      }
      expect(contributions[0]).not.toEqual(contributions[1]);
      expect(steps.findLast(([what]) => what === 'bytes')).toEqual(['bytes', csv.length, csv.length]);
      expect(steps.at(-1)).toEqual(['ciphertexts', plaintexts.length, plaintexts.length]);
      await expect.poll(() => page.workers()).toEqual([]);
    },
  );

  test('tells what is wrong with a file, by line and column', async () => {
    const refusals = await opened.worker.evaluate(
      async (it, [task, header]) => {
        const refusal = (rows: string | Uint8Array<ArrayBuffer>) =>
          it.readRows({ file: new File([rows], 'rows.csv'), task, basis: [], options: {} }).then(
            () => undefined,
            ({ name, code, message }) => `${name} ${code} ${message}`,
          );
        return [
          await refusal(`${header}\n${'1,'.repeat(11)}x\n`),
          await refusal(`${header}\n`),
          await refusal(new Uint8Array([0x1f, 0x8b, 8, 0])),
        ];
      },
      [task({}), header] as const,
    );
    expect(refusals).toEqual([
      'CodedError ERR_CSV_CELL row 1 (line 2), column "f11" (number 12): expected a finite decimal number, got something else',
      'CodedError ERR_NO_ROWS expected at least one row, got none',
      'CodedError ERR_FILE_UNREADABLE "rows.csv" cannot be read: it is no whole gzip archive of one part: decompress it first',
    ]);
  });

  test('takes no message of another form, and says nothing of it', async () => {
    const refusals = await opened.worker.evaluate(async (it, under) => {
      const refusal = (under: unknown, values: unknown) =>
        (it.contribution as (under: unknown, values: unknown) => Promise<unknown>)
          .call(it, under, values)
          .then(
            () => undefined,
            ({ code, message }) => `${code} ${message}`,
          );
      return [
        await refusal(under, ['4815']),
        await refusal({ ...under, task: { ...under.task, features: [] } }, [1n]),
        await refusal({ ...under, publicKey: { n: -1n } }, [1n]),
      ];
    }, under('djn'));
    expect(refusals).toEqual(
      new Array(3).fill('ERR_WORKER a part of this page has failed: load the page again, and try again'),
    );
  });

  test('ends at once when its job is cancelled', async () => {
    const { page, worker } = opened;
    const reason = await worker.evaluate(async (it, task) => {
      const cancel = new AbortController();
      const file = new File(new Array(20).fill(await (await fetch('/rows.csv')).blob()), 'rows.csv');
      const onProgress = () => cancel.abort(new Error('cancelled'));
      return it
        .readRows({ file, task, basis: [], options: {} }, { signal: cancel.signal, onProgress })
        .catch((error) => error.message);
    }, task({}));
    expect(reason).toBe('cancelled');
    await expect.poll(() => page.workers()).toEqual([]);
  });

  test('is not run where the host has another', async () => {
    await context.route('https://owner.test/worker.js', (route) =>
      route.fulfill({ body: 'postMessage({})', contentType: 'text/javascript' }),
    );
    const reloaded = await context.newPage();
    await reloaded.goto('https://owner.test');
    const failure = await reloaded.evaluate(() => globalThis.ownerWorker.catch((error) => error.code));
    expect(failure).toBe('ERR_WORKER');
    await expect
      .poll(() => complaints)
      .toContainEqual(expect.stringMatching(/^says Failed to find a valid digest/));
    complaints.length = 0;
  });
});
