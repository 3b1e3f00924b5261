/** The report of a made-up result: what it says of each verdict, in words that promise no more, and how it reads in a browser. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluationReport, terminalTable, writeReport } from '../../../evaluation/report/index.ts';
import { EvaluationResult } from '../../../evaluation/result.ts';
import type { BarDrawing, Block, Cell, Table } from '../../../instrument/report/document.ts';
import { browserMissing, launchOptions } from '../../../instrument/report/in-browser.ts';
import { chartsOf, openReport } from '../../demo/support/page.ts';
import { EXPERIMENTS, experiment, HOSTILE, POWER, RESULT, tested, trials } from './made-up.ts';

const blocksOf = (result: EvaluationResult): readonly Block[] =>
  evaluationReport(result).sections.flatMap(({ blocks }) => blocks);
const tableOf = (caption: string, result = RESULT): Table =>
  blocksOf(result).find((it): it is Table => it.kind === 'table' && it.caption.startsWith(caption))!;
const wordsOf = (cell: Cell | undefined): string =>
  typeof cell === 'string' ? cell : (cell ?? []).map(({ text }) => text).join(', ');
const cellOf = (table: Table, row: string, column: string): Cell =>
  table.rows.find(([first]) => wordsOf(first) === row)![
    table.columns.findIndex(({ title }) => title === column)
  ]!;
const rowsOf = (table: Table): string[][] => table.rows.map((row) => row.map(wordsOf));
/** As if nothing else had run. */
const only = (...experiments: EvaluationResult['experiments']): EvaluationResult => ({
  ...RESULT,
  experiments,
  claims: [],
  controls: [],
  failures: [],
  missing: [],
});
const introductionOf = (result: EvaluationResult) => evaluationReport(result).introduction.join('\n');

describe('the matrix', () => {
  const matrix = tableOf('Who learns what');

  test('has the worst first, counts, leaves controls out, and leads to the experiment', () => {
    expect(matrix.columns.map(({ title }) => title)).toContain('coalition');
    expect(matrix.rows).toHaveLength(7);
    expect(cellOf(matrix, 'values of rows', 'recipient')).toEqual([
      { text: '! leaks', tone: 'known', to: 'reconstruction-linear' },
      { text: '✓ not seen', tone: 'good', to: 'own-linkage' },
      { text: '– no answer', tone: 'open', to: 'faces' },
    ]);
    expect(cellOf(matrix, 'membership', 'recipient')).toEqual([
      { text: '✗ broken', tone: 'bad', to: 'membership-vectors' },
    ]);
    expect(cellOf(matrix, 'values of rows', 'data user')).toBe('–');
    const twice = only(
      experiment({ id: 'a' }),
      experiment({ id: 'b' }),
      experiment({ id: 'c', cases: [trials('broken', 1, 0)] }),
    );
    expect(wordsOf(cellOf(tableOf('Who learns what', twice), 'values of rows', 'recipient'))).toBe(
      '✗ broken, ✓ holds (2)',
    );
  });

  test('is on the terminal in signs, with the outcome', () => {
    const shown = terminalTable(RESULT);
    expect(shown).toMatch(/values of rows.*!1 ✓1 –1/);
    expect(shown).toMatch(/membership.*✗1/);
    expect(shown).toContain('1 experiment broke what the documents promise: membership-vectors.');
    expect(shown).not.toContain('<img');
  });
});

describe('the outcome', () => {
  test('names what is broken and the claims that this refutes, what is open, and what did not run', () => {
    const introduction = introductionOf(RESULT);
    expect(introduction).toContain(
      '1 experiment broke what the documents promise: membership-vectors. Claim refuted: S-14.',
    );
    expect(introduction).toContain('1 could not decide');
    expect(introduction).toContain('All that is known to leak was found: 2 positive controls.');
    expect(introduction).toContain('1 case failed');
    expect(introduction).toContain('1 case did not run');
    expect(introduction).toContain('quick run');
    expect(tableOf('Scenes').rows[1]!.slice(0, 2)).toEqual(['wisdm', 'PCA, 15 of 34, rotated, ε = 1']);
  });

  test('of a run with a blind instrument is that it says nothing, first of all', () => {
    const blind = { ...RESULT, controls: [{ id: 'views-planted', found: false }] };
    expect(introductionOf(blind)).toContain(
      '**This run says nothing: it did not find what is known to leak, views-planted.**',
    );
    expect(introductionOf(blind)).not.toContain('All that is known');
    expect(introductionOf(only())).toContain('No positive control ran: silence says nothing.');
    const some = { ...RESULT, run: { ...RESULT.run, only: ['differencing'] } };
    expect(introductionOf(some)).toContain('Only some experiments ran');
    expect(introductionOf(RESULT)).not.toContain('Only some experiments ran');
  });

  test('tells what is undecided from what did not show, and does not praise a run that attacked no promise', () => {
    const admitted = (id: string, verdict: 'undecided' | 'holds') =>
      experiment({ id, expectation: 'admitted', cases: [trials(verdict, 0.3, 0.29)] });
    const said = introductionOf(
      only(admitted('a', 'undecided'), admitted('b', 'undecided'), admitted('c', 'holds')),
    );
    expect(said).toContain('of 2 more so many units could not decide, and 1 did not show');
    expect(said).toContain('No experiment attacked what the documents promise');
    expect(said).not.toContain('No experiment refuted');
    const omitted = [{ scene: 'rows.csv', why: 'it has no private label' }];
    expect(introductionOf(only(experiment({ omitted })))).toContain('1 case was left out');
  });

  test('has pictures under names that files may have, whatever file a scene is called after', () => {
    const chart = { ...POWER, name: 'power-Rows of 2024.csv' };
    const charts = blocksOf(
      only(experiment({ id: 'a', cases: [{ ...trials('holds', 0.3, 0.29), blocks: [chart] }] })),
    );
    expect(
      charts.filter(({ kind }) => kind === 'chart').map((it) => ('name' in it ? it.name : '')),
    ).toContain('a-0-power-rows-of-2024-csv');
  });

  test('never speaks of security that was shown', () => {
    const held = only(
      experiment({}),
      experiment({ id: 'b', kind: 'simulation', unit: 'run', cases: [tested('holds')] }),
    );
    const said = JSON.stringify([evaluationReport(held), terminalTable(held)]);
    expect(said).toContain('No experiment refuted a claim.');
    expect(said).toContain('never a proof of security');
    expect(said).not.toMatch(/\b(?:is|are|be) (?:secure|safe|private)\b/i);
  });
});

describe('an experiment', () => {
  test('has figures with intervals for each scene, and a picture of attack, control and baseline', () => {
    const figures = rowsOf(
      tableOf('By scene', only(RESULT.experiments.find(({ id }) => id === 'reconstruction-linear')!)),
    );
    expect(figures[0]).toEqual([
      ...['pima', '! leaks', '1,200 people', '71.0 [67.0, 74.0]', '30.0 [25.0, 35.0]', '25.0'],
      ...['0.59 [0.53, 0.65]', '4e−4'],
    ]);
    expect(figures[1]!.slice(0, 3)).toEqual(['wisdm', '! leaks', '14 people']);
    const drawing = chartsOf(evaluationReport(RESULT)).find(
      ({ name }) => name === 'reconstruction-linear-success',
    )!.drawing as BarDrawing;
    expect(drawing.groups).toEqual(['pima', 'wisdm']);
    expect(drawing.bars.map(({ name, values }) => [name, values[0]])).toEqual([
      ['attack', { value: 71, low: 67, high: 74 }],
      ['control', { value: 30, low: 25, high: 35 }],
      ['baseline', { value: 25 }],
    ]);
    expect(rowsOf(tableOf('More figures'))).toContainEqual(['mean error', '0.01235', '3.1']);
  });

  test('that tests views says which leak it would have found, and shows its own pictures by scene', () => {
    expect(rowsOf(tableOf('By scene', only(RESULT.experiments[0]!)))[0]).toEqual([
      ...['ionosphere', '✓ holds', '40 runs', '0.02 [0.00, 0.11]', '0.430'],
      ...['a share of runs with one bit of the sum: 0.35', '–'],
    ]);
    const names = chartsOf(evaluationReport(RESULT)).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('views-csp-garbled'))).toEqual([
      'views-csp-garbled-distance',
      'views-csp-garbled-0-power',
      'views-csp-garbled-1-power',
    ]);
  });

  test('that was broken has what a fresh seed made of it', () => {
    const text = JSON.stringify(blocksOf(RESULT));
    expect(text).toContain('pima, again on a fresh seed: 61.0 % of 1,200 people, p = 2e−4: ✗ broken.');
  });

  test('that did not run, or not everywhere, says why', () => {
    const text = JSON.stringify(blocksOf(RESULT));
    expect(text).toContain('**Left out:** iris (it has too few owners).');
    expect(text).toContain('It ran nowhere, so nothing is known of it.');
  });
});

test('controls, admitted leaks and promises have a table each, with a line for each scene', () => {
  expect(rowsOf(tableOf('Positive controls'))).toEqual([
    ['The same with a planted bit', 'CSP', '✓ found: ionosphere, distance 0.90, 40 runs'],
    [
      'Two tasks that differ in one row',
      'data user',
      '✓ found: pima, excess 1.00 [0.94, 1.06], 100.0 % against 5.0 %, 1,200 rows',
    ],
  ]);
  // Found in one scene is not found.
  const half = [trials('broken', 1, 0), trials('undecided', 0.5, 0.45, { scene: 'iris' })];
  const missed = only(experiment({ id: 'half', expectation: 'control', cases: half }));
  expect(rowsOf(tableOf('Positive controls', missed))[0]![2]).toMatch(/✓ found: pima.*✗ not found: iris/);
  expect(JSON.stringify(blocksOf(missed))).toContain(
    '**✗ not found.** This is known to leak, and the instrument did not find it',
  );
  const beside = { ...missed, claims: [{ ...RESULT.claims[0]!, experiments: [], controls: ['half'] }] };
  expect(rowsOf(tableOf('Claims with', beside))[0]![3]).toBe('✗ half');
  expect(tableOf('Admitted leaks').rows.map(([title, , lines]) => [wordsOf(title), lines!.length])).toEqual([
    ['Rows back from reduced rows, by a linear estimator', 2],
    [HOSTILE, 1],
    ['Faces', 1],
  ]);
  expect(rowsOf(tableOf('Admitted leaks'))[2]![2]).toBe('– no answer');
  expect(rowsOf(tableOf('Attacks that shall fail')).map(([title]) => title)).toEqual([
    'A simulated view of the CSP against real ones',
    'Who was in the data, from vectors and eigenvalues',
    'Owners together against another one',
  ]);
});

test('every claim is there: with its experiments and controls, or as one that none covers', () => {
  const covered = rowsOf(tableOf('Claims with'));
  expect(covered.map(([id, , ...rest]) => [id, ...rest])).toEqual([
    ['S-13', '✓ not refuted', '✓ views-csp-garbled, ✓ 1 control found'],
    ['S-14', '✗ broken', '✗ membership-vectors, ? collusion-owners'],
    ['P-20', '! admitted, measured', '! reconstruction-linear'],
  ]);
  // Claims are Markdown, cells plain text.
  expect(covered[0]![1]).toBe(
    'never sees a contribution, the pooled statistics or the scatter matrix in the clear; S-13',
  );
  const others = rowsOf(tableOf('Claims that no'));
  expect(others.map(([id]) => id)).toEqual(['S-2', 'S-3']);
  expect(others[1]![2]).toMatch(/ …$/);
  expect(others[1]![2]!.length).toBeLessThan(250);
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
    const page = await openReport(browser, folder, evaluationReport(RESULT), 320);
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
