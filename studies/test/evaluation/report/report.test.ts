/** The report of a made-up result: what it says of each verdict, in words that promise no more, and how it reads in a browser. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '@eigenveil/command';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluationReport, terminalTable, writeReport } from '../../../evaluation/report/index.ts';
import { EvaluationResult } from '../../../evaluation/result.ts';
import { runEvaluation } from '../../../evaluation/run/command.ts';
import { allExperiments } from '../../../evaluation/run/job.ts';
import type { BarDrawing, Block, Cell, Table } from '../../../instrument/report/document.ts';
import { browserMissing, launchOptions } from '../../../instrument/report/in-browser.ts';
import { chartsOf, openReport } from '../../demo/support/page.ts';
import { EXPERIMENTS, experiment, HOSTILE, POWER, RESULT, tested, trials } from './made-up.ts';

const blocksOf = async (result: EvaluationResult): Promise<readonly Block[]> =>
  (await evaluationReport(result)).sections.flatMap(({ blocks }) => blocks);
const wordsOf = (cell: Cell | undefined): string =>
  typeof cell === 'string' ? cell : (cell ?? []).map(({ text }) => text).join(', ');
/** The rows of the first table of this caption, as words. */
async function rowsOf(caption: string, result = RESULT): Promise<string[][]> {
  const tables = (await blocksOf(result)).filter((it): it is Table => it.kind === 'table');
  const found = tables.find((it) => it.caption.startsWith(caption));
  return (found?.rows ?? []).map((row) => row.map(wordsOf));
}
/** As if nothing else had run. */
const only = (...experiments: EvaluationResult['experiments']): EvaluationResult => ({
  ...RESULT,
  experiments,
  claims: [],
  controls: [],
  failures: [],
  missing: [],
});
const introductionOf = async (result: EvaluationResult) =>
  (await evaluationReport(result)).introduction.join('\n');

describe('the matrix', () => {
  test('has the worst first, counts, leaves controls out, and leads to the experiment', async () => {
    const blocks = await blocksOf(RESULT);
    const matrix = blocks.find((it): it is Table => it.kind === 'table')!;
    const at = (secret: string, attacker: string): Cell =>
      matrix.rows.find(([name]) => name === secret)![
        matrix.columns.findIndex(({ title }) => title === attacker)
      ]!;
    expect(matrix.rows).toHaveLength(7);
    expect(at('values of rows', 'recipient')).toEqual([
      { text: '! leaks', to: 'reconstruction-linear' },
      { text: '✓ not seen', to: 'own-linkage' },
      { text: '– no answer', to: 'faces' },
    ]);
    expect(at('membership', 'recipient')).toEqual([{ text: '✗ broken', to: 'membership-vectors' }]);
    expect(at('values of rows', 'data user')).toBe('–');
    const twice = only(
      experiment({ id: 'a' }),
      experiment({ id: 'b' }),
      experiment({ id: 'c', cases: [trials('broken', 1, 0)] }),
    );
    expect((await rowsOf('Who learns what', twice))[0]![5]).toBe('✗ broken, ✓ holds (2)');
  });

  test('is on the terminal in signs, with the outcome', async () => {
    const shown = await terminalTable(RESULT);
    expect(shown).toMatch(/values of rows.*!1 ✓1 –1/);
    expect(shown).toMatch(/membership.*✗1/);
    expect(shown).toContain('Experiments broke what the documents promise: membership-vectors.');
    expect(shown).not.toContain('**');
  });
});

describe('the outcome', () => {
  test('names what is broken and the claims that this refutes, what is open, and what did not run', async () => {
    const introduction = await introductionOf(RESULT);
    for (const said of [
      '**Experiments broke what the documents promise: membership-vectors. Claims that are refuted: S-14.**',
      'Of 3 experiments on what the documents promise, 1 saw nothing beyond the margin with the units that there were, and 1 could not decide.',
      'Of 3 admitted leaks, 1 were there, with the sizes that this report gives; 0 could not be decided with the units that there were, and 1 did not show.',
      'Of 2 positive controls, 2 were found.',
      '2 cases were left out',
      'Some cases failed or did not run',
      'a quick run',
    ])
      expect(introduction).toContain(said);
    expect(introduction).not.toMatch(/says nothing|Only some experiments ran/);
    expect((await rowsOf('Scenes'))[1]!.slice(0, 2)).toEqual(['wisdm', 'PCA, 15 of 34, rotated, ε = 1']);
    expect(await rowsOf('Cases without')).toEqual([
      ['faces', 'olivetti', `it failed: ${HOSTILE}`],
      ['faces', 'iris', 'the run was interrupted before it'],
    ]);
  });

  test('of a run with a blind instrument is that it says nothing, first of all', async () => {
    const blind = { ...RESULT, controls: [{ id: 'views-planted', found: false }] };
    expect(await introductionOf(blind)).toMatch(
      /UTC\.\s+- \*\*This run says nothing: it did not find what is known to leak, views-planted\.\*\*/,
    );
    expect(await introductionOf(only())).toContain('No positive control ran: silence says nothing.');
    const some = { ...RESULT, run: { ...RESULT.run, only: ['differencing'] } };
    expect(await introductionOf(some)).toContain('Only some experiments ran');
    const noisy = [{ id: 'views-planted', found: false, tooNoisy: 'times differ' }];
    const said = await introductionOf({ ...RESULT, controls: noisy });
    expect(said).toContain('too noisy: what is known to leak by times does not show, views-planted');
    expect(said).not.toContain('This run says nothing:');
  });

  test('does not praise a run that attacked no promise', async () => {
    const leak = experiment({ id: 'a', expectation: 'admitted', cases: [trials('undecided', 0.3, 0.29)] });
    const said = await introductionOf(only(leak));
    expect(said).toContain('No experiment attacked what the documents promise');
    expect(said).not.toContain('No experiment refuted');
    expect(said).not.toContain('left out');
  });

  test('never speaks of security that was shown', async () => {
    const held = only(
      experiment({}),
      experiment({ id: 'b', kind: 'simulation', unit: 'run', cases: [tested('holds')] }),
    );
    const said = JSON.stringify([await evaluationReport(held), await terminalTable(held)]);
    expect(said).toContain('No experiment refuted a claim.');
    expect(said).toContain('never a proof of security');
    expect(said).not.toMatch(/\b(?:is|are|be) (?:secure|safe|private)\b/i);
  });
});

describe('an experiment', () => {
  test('has figures with intervals for each scene, and a picture of attack, control and baseline', async () => {
    const own = only(RESULT.experiments.find(({ id }) => id === 'reconstruction-linear')!);
    const figures = await rowsOf('By scene', own);
    expect(figures[0]).toEqual([
      ...['pima', '! leaks', '1,200 people', '71.0 [67.0, 74.0]', '30.0 [25.0, 35.0]', '25.0'],
      ...['0.59 [0.53, 0.65]', '4e−4'],
    ]);
    expect(figures[1]!.slice(0, 3)).toEqual(['wisdm', '! leaks', '14 people']);
    const drawing = chartsOf(await evaluationReport(RESULT)).find(
      ({ name }) => name === 'success-reconstruction-linear',
    )!.drawing as BarDrawing;
    expect(drawing.groups).toEqual(['pima', 'wisdm']);
    expect(drawing.bars.map(({ name, values }) => [name, values[0]])).toEqual([
      ['attack', { value: 71, low: expect.closeTo(67), high: expect.closeTo(74) }],
      ['control', { value: 30, low: expect.closeTo(25), high: expect.closeTo(35) }],
      ['baseline', expect.objectContaining({ value: 25 })],
    ]);
    expect(await rowsOf('More figures', own)).toContainEqual(['mean error', '0.01235', '3.1']);
  });

  test('that tests views says which leak it would have found, and shows its own pictures by scene', async () => {
    expect((await rowsOf('By scene', only(RESULT.experiments[0]!)))[0]).toEqual([
      ...['ionosphere', '✓ holds', '40 runs', '0.02 [0.00, 0.11]', '0.430'],
      ...['a share of runs with one bit of the sum: 0.35', '–'],
    ]);
    const own = { ...POWER, name: 'power-Rows of 2024.csv' };
    const named = only(
      RESULT.experiments[0]!,
      experiment({ id: 'a', cases: [{ ...trials('holds', 0.3, 0.29), blocks: [own] }] }),
    );
    const names = chartsOf(await evaluationReport(named)).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['distance-views-csp-garbled', 'views-csp-garbled-0-power', 'views-csp-garbled-1-power'],
        'a-0-power-rows-of-2024-csv',
      ]),
    );
  });

  test('that was broken has what a fresh seed made of it', async () => {
    expect(await rowsOf('Again on a fresh seed')).toEqual([
      ['pima', '✗ broken', '1,200 people', '61.0', '2e−4'],
    ]);
  });

  test('that did not run, or not everywhere, says why', async () => {
    const text = JSON.stringify(await blocksOf(RESULT));
    expect(text).toContain('**Left out:** iris (it has too few owners).');
    expect(text).toContain('**Verdict:** – no answer.');
  });
});

test('controls, admitted leaks and promises have a table each, with a row for each scene', async () => {
  expect(await rowsOf('Positive controls')).toEqual([
    [
      ...['views-planted', 'The same with a planted bit', 'CSP', 'ionosphere', '✓ found', '–'],
      ...['0.90 [0.80, 1.00]', '40 runs'],
    ],
    [
      ...['differencing', 'Two tasks that differ in one row', 'data user', 'pima', '✓ found'],
      ...['1.00 [0.94, 1.06]', '–', '1,200 rows'],
    ],
  ]);
  // Found in one scene is not found.
  const half = [trials('broken', 1, 0), trials('undecided', 0.5, 0.45, { scene: 'iris' })];
  const missed = only(experiment({ id: 'half', expectation: 'control', cases: half }));
  const verdicts = (await rowsOf('Positive controls', missed)).map((row) => [row[3], row[4]]);
  expect(verdicts).toEqual([
    ['pima', '✓ found'],
    ['iris', '✗ not found'],
  ]);
  expect(JSON.stringify(await blocksOf(missed))).toContain('**Verdict:** ✗ not found.');
  const beside = { ...missed, claims: [{ ...RESULT.claims[0]!, experiments: [], controls: ['half'] }] };
  expect((await rowsOf('Claims with', beside))[0]![3]).toBe('✗ half');
  const ids = async (caption: string) => (await rowsOf(caption)).map(([id]) => id);
  expect(await ids('Admitted leaks')).toEqual([
    ...['reconstruction-linear', 'reconstruction-linear', 'own-linkage'],
  ]);
  expect(await ids('Attacks that shall fail')).toEqual([
    ...['views-csp-garbled', 'views-csp-garbled', 'membership-vectors', 'collusion-owners'],
  ]);
});

test('every claim is there: with its experiments and controls, or as one that none covers', async () => {
  const covered = await rowsOf('Claims with');
  expect(covered.map(([id, , ...rest]) => [id, ...rest])).toEqual([
    ['S-13', '✓ not refuted', '✓ views-csp-garbled, ✓ views-planted'],
    ['S-14', '✗ broken', '✗ membership-vectors, ? collusion-owners'],
    ['P-20', '! admitted, measured', '! reconstruction-linear'],
  ]);
  // Claims are Markdown, cells plain text.
  expect(covered[0]![1]).toBe(
    'never sees a contribution, the pooled statistics or the scatter matrix in the clear; S-13',
  );
  expect(await rowsOf('Claims that no')).toEqual([['SECURITY.md, Threat model', 'S-2, S-3']]);
});

test('the facts that documents name are those of the result', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-report-'));
  await writeReport(folder, RESULT);
  const { facts } = JSON.parse(await readFile(join(folder, 'facts.json'), 'utf8'));
  await rm(folder, { recursive: true });
  expect(facts).toMatchObject({
    'facts.seed': { value: null, text: 'made-up' },
    'facts.experiments': { value: 8, text: '8' },
    'facts.cases': { value: 9 },
    'facts.minutes': { text: '1' },
    'facts.found': { text: '2' },
    'facts.claimsHeld': { text: '1' },
    'facts.claimsUncovered': { text: '2' },
  });
});

test('the files hold the whole result, which parses back, and no markup of names', {
  tags: ['long'],
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-report-'));
  const page = await writeReport(folder, RESULT);
  expect(page).toBe(join(folder, 'report.html'));
  const [json, html, markdown] = await Promise.all(
    ['report.json', 'report.html', 'report.md'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  expect(EvaluationResult.parse(JSON.parse(json!))).toEqual(RESULT);
  expect(html).not.toMatch(/<img|href="javascript/);
  for (const { id } of EXPERIMENTS) expect(html).toContain(id);
  expect(markdown).not.toMatch(/(?<!\\)<img/);
  await rm(folder, { recursive: true });
});

describe.skipIf(browserMissing)('in a browser', () => {
  let folder: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-report-'));
    await writeReport(folder, RESULT);
    browser = await chromium.launch(launchOptions);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('it opens on a phone without a script, and names of a user stay text', {
    tags: ['long'],
  }, async () => {
    const page = await openReport(browser, folder, await evaluationReport(RESULT), 320);
    const shown = await page.locator('body').innerText();
    expect(shown.split('<img src=x onerror="alert(1)">').length).toBeGreaterThan(10);
    await page.close();
  });

  test.each(['light', 'dark'] as const)(
    'in the %s a verdict is a sign and a word, followed from the matrix by the keyboard',
    { tags: ['long'] },
    async (colorScheme) => {
      const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, colorScheme });
      await page.goto(`file://${join(folder, 'report.html')}`);
      await page.getByRole('link', { name: '✗ broken' }).first().focus();
      await page.keyboard.press('Enter');
      expect(page.url()).toMatch(/#who-was-in-the-data-from-vectors-and-eigenvalues$/);
      expect(await page.locator('h3:target').innerText()).toBe(
        'Who was in the data, from vectors and eigenvalues',
      );
      await page.close();
    },
  );
});

test('is written again from its report.json alone, in the words that its experiments have today', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-test-'));
  const printed: string[] = [];
  const program = createProgram({ name: 'evaluate', version: '0', description: '' }).configureOutput({
    writeOut: (text) => printed.push(text),
  });
  try {
    await writeReport(folder, RESULT);
    const render = join(folder, 'report.json');
    const before = await readFile(render, 'utf8');
    await runEvaluation(program, { seed: '1', render, out: folder });
    expect(printed.join('')).toContain('report.html');
    const after = EvaluationResult.parse(JSON.parse(await readFile(render, 'utf8')));
    const { title } = (await allExperiments(undefined)).find(({ id }) => id === 'reconstruction-linear')!;
    const old = RESULT.experiments.find(({ id }) => id === 'reconstruction-linear')!;
    expect(after.experiments.find(({ id }) => id === old.id)).toMatchObject({ title, cases: old.cases });
    expect(title).not.toBe(old.title);
    const worded = (text: string) => ({ ...EvaluationResult.parse(JSON.parse(text)), experiments: [] });
    expect({ ...after, experiments: [] }).toEqual(worded(before));
    await writeFile(render, '{"format":"eigenveil-evaluation/1"}');
    await expect(runEvaluation(program, { seed: '1', render, out: folder })).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: expect.stringContaining('expected a report.json of this program'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
