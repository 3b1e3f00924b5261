/** The page of the demo of authentication: every figure in it, what it says plainly, and how it reads in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticationReport } from '../../../demo/authentication/report.ts';
import type { LineDrawing } from '../../../instrument/report/document.ts';
import { browserMissing, launchOptions } from '../../../instrument/report/in-browser.ts';
import { writeReport } from '../../../instrument/report/write.ts';
import { chartsOf, openReport } from '../support/page.ts';
import { madeUpFigures, TRUST } from './figures.ts';

const figures = madeUpFigures();
const report = await authenticationReport(figures);
const linesOf = (name: string) =>
  (chartsOf(report).find((it) => it.name === name)!.drawing as LineDrawing).lines;
const text = JSON.stringify(report);

describe('the page', () => {
  test('has both error rates, a curve of each, and the trust of one device by the user and by another', () => {
    const { eer, rawEer } = figures.summary;
    for (const rate of [eer.perSample, eer.overFive, rawEer.perSample, rawEer.overFive])
      expect(text).toContain(`"${(100 * rate).toFixed(1)} %"`);
    // Means of five windows tell all of these people apart: no point of such a curve has a logarithm.
    expect(linesOf('det').map(({ name }) => name)).toEqual(['Projected', 'Raw']);
    // On a logarithm's axes there is no 0, and a curve only falls.
    for (const { points } of linesOf('det')) {
      expect(points.every(({ x, y }) => x > 0 && x <= 100 && y > 0 && y <= 100)).toBe(true);
      expect(points.toSorted((a, b) => a.x - b.x || b.y - a.y)).toEqual(points);
    }
    const [own, other, stepUp, lock] = linesOf('trust');
    expect([own!.name, other!.name]).toEqual(['User 7', 'User <b>x</b> with that device']);
    expect(own!.points.map(({ y }) => y)).toEqual(figures.decided.replays[0]!.map(({ trust }) => trust));
    expect(other!.points.map(({ y }) => y)).toEqual(figures.decided.replays[1]!.map(({ trust }) => trust));
    expect(stepUp!.points[0]!.y).toBe(TRUST.stepUpBelow);
    expect(lock!.points[0]!.y).toBe(TRUST.lockBelow);
  });

  test('has the events of the device that it shows, and of no other', () => {
    expect(text).toContain('[["1","step-up","session-opened"]]');
  });

  test('says who impostors are, where rates come from, and how many decisions are as computed', async () => {
    expect(text).toContain("Impostors have the victim's device");
    expect(text).toContain('No score leaves the authenticator');
    const all = figures.decided.replays.flat().length;
    expect(text).toContain(`${all} of ${all} decisions`);
    const { streams } = figures.decided;
    const [first, ...others] = streams;
    const wrong = { ...first!, decisions: first!.decisions.with(0, 'lock') };
    const told = await authenticationReport({
      ...figures,
      decided: { ...figures.decided, streams: [wrong, ...others] },
    });
    expect(JSON.stringify(told)).toContain(`${all - 1} of ${all} decisions`);
    const weak = await authenticationReport({ ...figures, task: { ...figures.task, keyBits: 1024 } });
    expect(JSON.stringify(weak)).toContain('1024 bits are NOT secure');
    expect(text).not.toContain('NOT secure');
  });
});

describe.skipIf(browserMissing)('in a browser the page', { tags: ['long'] }, () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-demo-report-'));
    await writeReport({ folder, report, data: figures.summary });
    browser = await chromium.launch(launchOptions);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('opens from the disk, loads and runs nothing, and shows every chart', async () => {
    const page = await openReport(browser, folder, report);
    // A name of the data is text, never markup.
    expect(await page.locator('#chart-trust .drawing svg:visible').textContent()).toContain('<b>x</b>');
    await page.close();
  });
});
