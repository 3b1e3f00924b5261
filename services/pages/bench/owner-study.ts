/** An owner's part in the worker of its page, in Chromium, against the same by Node.js. */
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { generateKeyPair, PaillierPool, PublicKey } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { flatten, layout, statisticsOfCsv } from '@eigenveil/statistics';
import { median, most } from '@eigenveil/studies/instrument/figure';
import { launchOptions } from '@eigenveil/studies/instrument/report/in-browser';
import { setting, wholeNumber } from '@eigenveil/studies/instrument/settings';
import { defineStudy } from '@eigenveil/studies/instrument/study';
import type { Tidy } from '@eigenveil/studies/instrument/tidy';
import { type Browser, chromium } from 'playwright-core';
import { openWorkerPage, type WorkerPage } from './worker-site.ts';

const KEY_BITS = 2048;

const FEATURES = setting({
  name: 'features',
  says: 'of the task',
  parse: wholeNumber(1, 1000),
  quick: 8,
  full: 34,
});
const ROWS = setting({
  name: 'rows',
  says: 'that are read',
  parse: wholeNumber(),
  quick: 1000,
  full: 100_000,
});
const REPETITIONS = setting({
  name: 'repetitions',
  says: 'of each job, after a warm-up',
  parse: wholeNumber(),
  quick: 1,
  full: 5,
});

/** One piece of an owner's work, in either place. */
interface Job {
  readonly inBrowser: (at: WorkerPage) => Promise<unknown>;
  readonly inNode: () => Promise<unknown>;
  /** Files that the page can fetch. */
  readonly files?: Readonly<Record<string, string>>;
}

interface Size {
  readonly features: number;
  readonly rows: number;
}

const taskOf = ({ features, rows }: Size, encryption: 'djn' | 'standard') =>
  madeUpTask('pca', features, {
    keyBits: KEY_BITS,
    maximumSamplesPerOwner: Math.max(rows, 1000),
    encryption,
  });

/** Numbers of six decimals, of which some lie outside their range. */
function csvOf(size: Size, quote: string): string {
  const names = taskOf(size, 'djn').features.map(({ name }) => name);
  const lines = Array.from({ length: size.rows }, (_, row) =>
    names.map((_, i) => (0.5 + 0.6 * Math.sin(row * (i + 1))).toFixed(6)).join(','),
  );
  return [names.map((name) => quote + name + quote).join(','), ...lines, ''].join('\n');
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

async function contributing(size: Size, scheme: 'djn' | 'standard'): Promise<Job> {
  const task = taskOf(size, scheme);
  const packing = layout(task);
  const values = flatten(task, (await statisticsOfCsv(chunksOf(csvOf(size, '')), task)).statistics);
  const { publicKey } = await generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
  const { n, h } = publicKey;
  const paillier = new PaillierPool({ threads: 0 });
  return {
    inBrowser: ({ worker }) =>
      worker.evaluate(async (it, [under, values]) => (await it.contribution(under, values)).length, [
        { task, publicKey: { n, h: h! } },
        values,
      ] as const),
    inNode: () =>
      contribute({ task, publicKey, packing }, values, { paillier, randomness: systemRandomness }),
  };
}

async function reading(size: Size, quote: string): Promise<Job> {
  const task = taskOf(size, 'djn');
  const csv = csvOf(size, quote);
  return {
    files: { '/rows.csv': csv },
    inBrowser: ({ worker }) =>
      worker.evaluate(async (it, task) => {
        const blob = await (await fetch('/rows.csv')).blob();
        return (await it.readRows({ file: new File([blob], 'rows.csv'), task, basis: [], options: {} })).rows;
      }, task),
    inNode: () => statisticsOfCsv(chunksOf(csv), task),
  };
}

/** Checks a key on the page itself, as when an agreement is accepted. */
async function checking(bits: number): Promise<Job> {
  const { publicKey } = await generateKeyPair({ bits, scheme: 'djn' });
  const json = publicKey.toJSON();
  return {
    inBrowser: ({ page }) => page.evaluate(async (it) => (await globalThis.readKey(it)).bits, json),
    inNode: () => PublicKey.fromJSONInTurns(json),
  };
}

const JOBS: Readonly<Record<string, (size: Size) => Promise<Job>>> = {
  'contribution, djn': (size) => contributing(size, 'djn'),
  'contribution, standard': (size) => contributing(size, 'standard'),
  'rows, no quotes': (size) => reading(size, ''),
  'rows, names in quotes': (size) => reading(size, '"'),
  'check of a key of 2048 bits': () => checking(2048),
  'check of a key of 3072 bits': () => checking(3072),
  'check of a key of 4096 bits': () => checking(4096),
};

const MS = { unit: 'ms' } as const;

export const owner = defineStudy<Size & Tidy & { readonly job: string; readonly repetitions: number }>({
  id: 'browser/owner',
  settings: [FEATURES, ROWS, REPETITIONS],
  plan: ({ settings }) => {
    const size = {
      ...{ features: settings.of(FEATURES), rows: settings.of(ROWS) },
      repetitions: settings.of(REPETITIONS),
    };
    return { cases: Object.keys(JOBS).map((job) => ({ job, ...size })) };
  },
  titleOf: ({ job }) => job,
  expectedSeconds: ({ repetitions }) => 5 + 5 * repetitions,
  async measure({ job, features, rows, repetitions }): Promise<Tidy[]> {
    const { inBrowser, inNode, files = {} } = await JOBS[job]!({ features, rows });
    const browser = await chromium.launch(launchOptions);
    try {
      const at = await openWorkerPage(await browser.newContext(), files);
      await watchLongTasks(at);
      const rendererSeconds = await rendererOf(browser);
      const records: Tidy[] = [];
      for (let repetition = 0; repetition <= repetitions; repetition += 1) {
        await at.page.evaluate(() => {
          globalThis.longest = 0;
        });
        const [before, start] = [await rendererSeconds(), performance.now()];
        await inBrowser(at);
        const [clockMs, after] = [performance.now() - start, await rendererSeconds()];
        const cpu = process.cpuUsage();
        await inNode();
        const { user, system } = process.cpuUsage(cpu);
        const [browserMs, nodeMs] = [1000 * (after - before), (user + system) / 1000];
        const longestMs = await at.page.evaluate(() => globalThis.longest);
        // The first is a warm-up.
        if (repetition > 0)
          records.push({ repetition, browserMs, nodeMs, times: browserMs / nodeMs, clockMs, longestMs });
      }
      return records;
    } finally {
      await browser.close();
    }
  },
  tables: {
    jobs: {
      caption: 'CPU time of each job',
      rows: ['job'],
      cells: {
        browser: median('browserMs', MS),
        'Node.js': median('nodeMs', MS),
        ratio: median('times', { unit: '×' }),
        clock: median('clockMs', MS),
        longest: most('longestMs', MS),
      },
    },
  },
  words: new URL('owner-study.md', import.meta.url),
});

declare global {
  var longest: number;
}

/** The longest stretch in which the page answered nobody stays in `longest`. */
async function watchLongTasks({ page }: WorkerPage): Promise<void> {
  await page.evaluate(() => {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        globalThis.longest = Math.max(globalThis.longest, duration);
    }).observe({ type: 'longtask' });
  });
}

/** CPU-seconds of the renderer processes so far. */
async function rendererOf(browser: Browser): Promise<() => Promise<number>> {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    return renderers.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
}
