/** The demo's page: every figure in it, nothing that it loads, and how it reads in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoReport, type MethodFigures } from '../../demo/report.ts';
import { chosenSeries } from '../../demo/sample.ts';
import type { Summary } from '../../demo/summary.ts';
import type { Chart, LineDrawing } from '../../instrument/report/document.ts';
import { browserMissing, launchOptions } from '../../instrument/report/in-browser.ts';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { seriesCount } from '../../instrument/report/theme.ts';
import { writeReport } from '../../instrument/report/write.ts';
import { chartsOf, openReport } from './support/page.ts';

const LABELS = ['g', 'b', '<b>x</b>'];

function figures(method: 'pca' | 'dca', components: number): MethodFigures {
  const eigenvalues = Array.from({ length: components }, (_, i) => 100 / (i + 1));
  const place = (i: number) => [Math.cos(i), Math.sin(2 * i)].slice(0, components) as [number, number?];
  return {
    result: {
      method,
      components,
      maxAngle: 2e-8,
      maxAngleUnrounded: 3e-4,
      maxEigenvalueError: 1e-10,
      kept: { of: method === 'pca' ? 'variance' : 'separation', part: 0.5, exact: 0.6 },
      seconds: 1.5,
    },
    times: {
      name: method.toUpperCase(),
      ownerMilliseconds: 120,
      contributionBytes: 14_336,
      stages: { aggregate: 30, unblind: 60, decompose: 1500 },
    },
    eigenvalues,
    clearEigenvalues: eigenvalues.map((value) => value + 1e-9),
    rows: Array.from({ length: 90 }, (_, i) => ({
      label: LABELS[i % LABELS.length]!,
      computed: place(i),
      clear: place(i + 0.001),
    })),
    plaintexts: 28,
    outputs: method === 'pca' ? ['mean', 'spectrum'] : ['classCounts'],
  };
}

const summary = (twoParty: string): Summary => ({
  dataset: 'made-up',
  samples: 90,
  features: 5,
  owners: 7,
  keyBits: 2048,
  twoParty,
  totalSeconds: 12.34,
  results: [],
});
const methods = [figures('pca', 4), figures('dca', 1)];
const report = await demoReport(summary('rotated'), methods);
const charts = chartsOf(report);
const chart = (name: string): Chart => charts.find((it) => it.name === name)!;
const linesOf = (name: string) => (chart(name).drawing as LineDrawing).lines;

describe('the page', () => {
  test('has a scree plot, the rows of both decompositions by label, and times by role', () => {
    expect(charts.map(({ name }) => name)).toEqual([
      ...['scree-pca', 'scree-dca', 'rows-pca', 'clear-rows-pca'],
      ...['one-component-dca', 'times'],
    ]);
    const [clear, computed] = linesOf('scree-pca');
    expect(computed!.points).toEqual([100, 50, 100 / 3, 25].map((y, i) => ({ x: i + 1, y })));
    expect(clear!.points[0]!.y).toBe(100 + 1e-9);
    const rows = linesOf('rows-pca');
    expect(rows.map(({ name }) => name)).toEqual(LABELS);
    expect(rows[1]!.points[0]).toEqual({ x: Math.cos(1), y: Math.sin(2) });
    expect(linesOf('clear-rows-pca')[1]!.points[0]).toEqual({ x: Math.cos(1.001), y: Math.sin(2.002) });
    // One component alone: against the clear one.
    expect(linesOf('one-component-dca')[0]!.points[0]).toEqual({ x: 1, y: Math.cos(0.001) });
    expect(chart('times').drawing).toMatchObject({
      bars: [{ values: [{ value: 120 }, { value: 30 }, { value: 60 }, { value: 1500 }] }, {}],
    });
  });

  test('says what each party saw, and when that was the pooled statistics', async () => {
    const [ofRotated, ofSimulated] = await Promise.all(
      ['rotated', 'simulated'].map(async (twoParty) =>
        reportToMarkdown(await demoReport(summary(twoParty), methods)),
      ),
    );
    const saw = (twoParty: string) => (twoParty === 'rotated' ? ofRotated! : ofSimulated!);
    expect(saw('rotated')).toContain(
      '4 vectors with their eigenvalues, the mean of the features, all eigenvalues',
    );
    expect(saw('rotated')).toContain('one vector with its eigenvalue, the numbers of rows by class');
    expect(saw('rotated')).not.toContain('NOT private');
    expect(saw('simulated')).toContain('NOT private, it also saw the pooled statistics');
  });

  test('shows so many rows and labels as can be told apart, and says what it left out', () => {
    const rows = Array.from({ length: 1500 }, (_, i) => ({ label: `${i % 20}`, i }));
    const { series, step } = chosenSeries(rows);
    expect(series).toHaveLength(seriesCount);
    expect(series.at(-1)!.label).toBe(`${20 - seriesCount + 1} other labels`);
    expect(series.flatMap(({ members }) => members)).toHaveLength(500);
    expect(step).toBe(3);
    expect(chosenSeries([{ label: '' }])).toEqual({
      series: [{ label: 'no label', members: [{ label: '' }] }],
      step: 1,
    });
  });
});

describe.skipIf(browserMissing)('in a browser the page', { tags: ['long'] }, () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-demo-report-'));
    await writeReport({ folder, report, data: summary('rotated') });
    browser = await chromium.launch(launchOptions);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('opens from the disk, loads and runs nothing, and shows every chart', async () => {
    const page = await openReport(browser, folder, report);
    // A label of the data is text, never markup.
    expect(await page.locator('#chart-rows-pca .drawing svg:visible').textContent()).toContain('<b>x</b>');
    await page.close();
  });
});
