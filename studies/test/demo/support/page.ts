/** What holds for every page of a demo, or of an evaluation, in a browser. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Chart, Report } from '../../../instrument/report/document.ts';

export const chartsOf = (report: Report): Chart[] =>
  report.sections.flatMap(({ blocks }) => blocks).filter((it) => it.kind === 'chart');

/** Opens the page that `writeReport` has left in the folder, on a narrow screen: it loads and runs nothing, and shows every chart. */
export async function openReport(
  browser: Browser,
  folder: string,
  report: Report,
  width = 360,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 740 } });
  const url = pathToFileURL(join(folder, 'report.html')).href;
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url, { waitUntil: 'networkidle' });
  expect([requests, complaints]).toEqual([[url], []]);
  expect(await page.locator('script, img, link, iframe, object').count()).toBe(0);
  expect(await page.locator('.drawing svg:visible').count()).toBe(chartsOf(report).length);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain("default-src 'none'");
  return page;
}
