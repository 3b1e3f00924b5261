/** `npm run bench:browser`: an owner's part in the worker of its page, against the same by Node.js, in one run. */

import { madeUpTask } from '@eigenveil/made-up/tasks';
import { generateKeyPair, PaillierPool, PublicKey } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { flatten, layout, statisticsOfCsv } from '@eigenveil/statistics';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity, formatRatio } from '@eigenveil/studies/instrument/quantities';
import { launchOptions } from '@eigenveil/studies/instrument/report/in-browser';
import { median } from '@eigenveil/studies/instrument/statistics';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import { chromium } from 'playwright-core';
import { benchmark, printJson, wholeNumber } from '../../../scripts/options.ts';
import { openWorkerPage } from './worker-site.ts';

const KEY_BITS = 2048;

const EXPLANATION = `CPU time, of the browser's whole renderer process (page, worker, collection of garbage) and of this one, which take turns; medians
after a warm-up. "clock" is what somebody at the page waits. Each job has a worker of its own, so its start and the compilation of its code are part of
it. Node.js takes powers for "standard" by OpenSSL, a browser by BigInt. A contribution is packed and encrypted under a key of ${KEY_BITS} bits; rows
are read from CSV, checked, clipped and summed. "longest" is the longest stretch over 50 ms in which the page answered nobody.`;

const { features, rows, repetitions, json } = benchmark({
  name: 'bench:browser',
  description: "Measures an owner's part in the worker of its page, in Chromium, against Node.js.",
  explanation: EXPLANATION,
  example: '--features 8 --rows 1000 --repetitions 1',
})
  .option('--features <count>', 'of the task', wholeNumber(1, 1000), 34)
  .option('--rows <count>', 'that are read', wholeNumber(), 100_000)
  .option('--repetitions <count>', 'of each job, after a warm-up', wholeNumber(), 5)
  .parse()
  .opts<{ features: number; rows: number; repetitions: number; json?: true }>();

const key = { keyBits: KEY_BITS, maximumSamplesPerOwner: Math.max(rows, 1000) };
const tasks = {
  djn: madeUpTask('pca', features, { ...key, encryption: 'djn' }),
  standard: madeUpTask('pca', features, { ...key, encryption: 'standard' }),
};
const { publicKey } = await generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
const { n, h } = publicKey;
const packing = layout(tasks.djn);
const names = tasks.djn.features.map(({ name }) => name);

/** Numbers of six decimals, of which some lie outside their range. */
function csvOf(quote: string): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    names.map((_, i) => (0.5 + 0.6 * Math.sin(row * (i + 1))).toFixed(6)).join(','),
  );
  return [names.map((name) => quote + name + quote).join(','), ...lines, ''].join('\n');
}
const csv = { plain: csvOf(''), quoted: csvOf('"') };
type Csv = keyof typeof csv;

const browser = await chromium.launch(launchOptions);
const context = await browser.newContext();
const files = { '/plain.csv': csv.plain, '/quoted.csv': csv.quoted };
const { page, worker } = await openWorkerPage(context, files);
const session = await browser.newBrowserCDPSession();
const pool = new PaillierPool({ threads: 0 });

/** CPU-seconds of the renderer processes so far. */
async function rendererSeconds(): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return renderers.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

interface Job {
  readonly name: string;
  readonly inBrowser: () => Promise<unknown>;
  readonly inNode: () => Promise<unknown>;
}

const values = flatten(tasks.djn, (await statisticsOfCsv(chunksOf(csv.plain), tasks.djn)).statistics);

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

const contributing = (scheme: 'djn' | 'standard'): Job => ({
  name: `contribution, ${scheme}`,
  inBrowser: () =>
    worker.evaluate(async (it, [under, values]) => (await it.contribution(under, values)).length, [
      { task: tasks[scheme], publicKey: { n, h: h! } },
      values,
    ] as const),
  inNode: () =>
    contribute({ task: tasks[scheme], publicKey, packing }, values, {
      paillier: pool,
      randomness: systemRandomness,
    }),
});

const reading = (form: Csv): Job => ({
  name: `${rows} rows, ${form === 'plain' ? 'no quotes' : 'names in quotes'}`,
  inBrowser: () =>
    worker.evaluate(
      async (it, [name, task]) => {
        const blob = await (await fetch(`/${name}`)).blob();
        return (await it.readRows({ file: new File([blob], name), task, basis: [], options: {} })).rows;
      },
      [`${form}.csv`, tasks.djn] as const,
    ),
  inNode: () => statisticsOfCsv(chunksOf(csv[form]), tasks.djn),
});

/** As when an agreement is accepted, on the page itself. */
async function checking(bits: number): Promise<Job> {
  const { publicKey } = await generateKeyPair({ bits, scheme: 'djn' });
  const json = publicKey.toJSON();
  return {
    name: `check of a key of ${bits} bits`,
    inBrowser: () => page.evaluate(async (it) => (await globalThis.readKey(it)).bits, json),
    inNode: () => PublicKey.fromJSONInTurns(json),
  };
}

interface Row {
  readonly job: string;
  readonly browserMs: number;
  readonly nodeMs: number;
  readonly ratio: number;
  readonly clockMs: number;
  readonly longestMs: number;
}

async function measure({ name, inBrowser, inNode }: Job): Promise<Row> {
  const samples: Omit<Row, 'job'>[] = [];
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    await page.evaluate(() => {
      globalThis.longest = 0;
    });
    const [before, start] = [await rendererSeconds(), performance.now()];
    await inBrowser();
    const [clockMs, after] = [performance.now() - start, await rendererSeconds()];
    const cpu = process.cpuUsage();
    await inNode();
    const { user, system } = process.cpuUsage(cpu);
    const [browserMs, nodeMs] = [1000 * (after - before), (user + system) / 1000];
    const longestMs = await page.evaluate(() => globalThis.longest);
    if (repetition > 0) samples.push({ browserMs, nodeMs, ratio: browserMs / nodeMs, clockMs, longestMs });
  }
  const of = (figure: keyof Omit<Row, 'job'>) => median(samples.map((sample) => sample[figure]));
  return {
    job: name,
    browserMs: of('browserMs'),
    nodeMs: of('nodeMs'),
    ratio: of('ratio'),
    clockMs: of('clockMs'),
    longestMs: Math.max(...samples.map(({ longestMs }) => longestMs)),
  };
}

declare global {
  var longest: number;
}
await page.evaluate(() => {
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask' });
});

const jobs = [
  contributing('djn'),
  contributing('standard'),
  reading('plain'),
  reading('quoted'),
  ...(await Promise.all([2048, 3072, 4096].map(checking))),
];
const measured = await measureEach(
  jobs,
  ({ name }) => name,
  async (job) => [await measure(job)],
);
await browser.close();
await pool.close();

const table = renderTable(measured, [
  words('job', ({ job }) => job),
  figures('browser', ({ browserMs }) => formatQuantity(browserMs, 'ms')),
  figures('Node.js', ({ nodeMs }) => formatQuantity(nodeMs, 'ms')),
  figures('ratio', ({ ratio }) => formatRatio(ratio)),
  figures('clock', ({ clockMs }) => formatQuantity(clockMs, 'ms')),
  figures('longest', ({ longestMs }) => (longestMs === 0 ? 'none' : formatQuantity(longestMs, 'ms'))),
]);
const size = `${features} features, ${packing.plaintexts.length} ciphertexts`;
if (json) await printJson({ rows: measured });
else console.log(`${size}\n\n${table}\n${EXPLANATION}`);
