/** The page as a browser shows it: on phones and wide screens, in the light and in the dark, and without a network. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserMissing, launchOptions } from '../../../instrument/report/in-browser.ts';
import { writeReport } from '../../../instrument/report/write.ts';
import { report } from './support/report.ts';

const phone = { width: 360, height: 740 };
const desk = { width: 1360, height: 900 };

interface Visit {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

describe.skipIf(browserMissing)('the report in a browser', { tags: ['long'] }, () => {
  let folder: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-report-'));
    await writeReport({ folder, report, data: {} });
    browser = await chromium.launch(launchOptions);
    page = await browser.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  let requests: string[] = [];
  let complaints: string[] = [];
  let seen = '';
  /** One page shows everything in turn, and what it shows already is not opened again. */
  async function visit(file: string, viewport: typeof phone, colorScheme: 'light' | 'dark'): Promise<Visit> {
    const wanted = `${file} ${viewport.width} ${colorScheme}`;
    if (seen !== wanted) {
      [requests, complaints, seen] = [[], [], wanted];
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(pathToFileURL(join(folder, file)).href, { waitUntil: 'load' });
    }
    return { page, requests, complaints };
  }

  test.each([
    ['a phone', phone],
    ['a wide screen', desk],
  ])('asks for nothing, complains of nothing and does not scroll sideways on %s', async (_, viewport) => {
    const { page, requests, complaints } = await visit('report.html', viewport, 'light');
    expect(requests).toEqual([pathToFileURL(join(folder, 'report.html')).href]);
    expect(complaints).toEqual([]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(viewport.width);
    expect(await page.locator('script, img, link, iframe, object').count()).toBe(0);
  });

  test.each([
    ['a phone', phone, 'narrow'],
    ['a wide screen', desk, 'wide'],
  ])('shows every chart on %s with all of its text inside, apart and legible', async (_, viewport, form) => {
    const { page } = await visit('report.html', viewport, 'light');
    const charts = report.sections.flatMap(({ blocks }) => blocks).filter(({ kind }) => kind === 'chart');
    const shown = await page.locator('.drawing svg:visible').all();
    expect(shown).toHaveLength(charts.length);
    for (const svg of shown) {
      expect(await svg.getAttribute('class')).toBe(form);
      const box = (await svg.boundingBox())!;
      expect(box.width).toBeGreaterThan(viewport.width * 0.5);
      expect(box.height).toBeGreaterThan(150);
      expect(box.x + box.width).toBeLessThanOrEqual(viewport.width);
      const texts: { text: string; x: number; y: number; right: number; bottom: number }[] = await svg
        .locator('text')
        .evaluateAll((all) =>
          all.map((one) => {
            const { x, y, right, bottom } = one.getBoundingClientRect();
            return { text: one.textContent ?? '', x, y, right, bottom };
          }),
        );
      expect(texts.length).toBeGreaterThan(5);
      for (const [index, a] of texts.entries()) {
        expect.soft(a.x, a.text).toBeGreaterThanOrEqual(box.x - 0.5);
        expect.soft(a.y, a.text).toBeGreaterThanOrEqual(box.y - 0.5);
        expect.soft(a.right, a.text).toBeLessThanOrEqual(box.x + box.width + 0.5);
        expect.soft(a.bottom, a.text).toBeLessThanOrEqual(box.y + box.height + 0.5);
        // The box of a line is somewhat higher than its letters are large.
        expect.soft(a.bottom - a.y, a.text).toBeGreaterThan(11.5);
        for (const b of texts.slice(index + 1)) {
          const apart =
            a.right <= b.x + 1 || b.right <= a.x + 1 || a.bottom <= b.y + 2 || b.bottom <= a.y + 2;
          expect.soft(apart, `"${a.text}" and "${b.text}"`).toBe(true);
        }
      }
    }
  });

  test('is legible in the light and in the dark, which differ', async () => {
    const backgrounds = new Set<string>();
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await visit('report.html', desk, scheme);
      const styles = (selector: string, property: string): Promise<readonly string[]> =>
        page
          .locator(selector)
          .evaluateAll(
            (all, name) =>
              all.map((one) => one.ownerDocument.defaultView!.getComputedStyle(one).getPropertyValue(name)),
            property,
          );
      const style = async (selector: string, property: string): Promise<string> =>
        (await styles(selector, property))[0]!;
      const ground = await style('body', 'background-color');
      const surface = await style('figure.chart', 'background-color');
      backgrounds.add(ground);
      for (const selector of ['h1', 'h2', 'main p', 'header p', 'nav a'])
        expect(contrast(await style(selector, 'color'), ground), `${scheme} ${selector}`).toBeGreaterThan(
          4.5,
        );
      for (const selector of ['figcaption', 'summary', 'caption', 'th', 'td'])
        expect(
          contrast(await style(`main ${selector}`, 'color'), surface),
          `${scheme} ${selector}`,
        ).toBeGreaterThan(4.5);
      const inks = await styles('.drawing svg.wide text', 'fill');
      for (const ink of new Set(inks))
        expect(contrast(ink, surface), `${scheme} ${ink}`).toBeGreaterThan(4.5);
      const strokes = await styles('#chart-accuracy svg.wide path[stroke^="var(--series"]', 'stroke');
      expect(new Set(strokes).size).toBe(7);
      for (const stroke of new Set(strokes))
        expect(contrast(stroke, surface), `${scheme} ${stroke}`).toBeGreaterThan(3);
    }
    expect(backgrounds.size).toBe(2);
  });

  test('scrolls wide tables within themselves, their first column staying', async () => {
    const { page } = await visit('report.html', phone, 'light');
    const table = page.locator('.table', { hasText: 'phases by data set' });
    const [inner, outer] = await table.evaluate((box) => [box.scrollWidth, box.clientWidth] as const);
    expect(inner).toBeGreaterThan(outer * 2);
    expect(outer).toBeLessThanOrEqual(phone.width);
    const caption = (await table.locator('caption span').boundingBox())!;
    expect(caption.x + caption.width).toBeLessThanOrEqual(phone.width);
    const first = table.locator('tbody th').first();
    const [before, cellBefore] = [await first.boundingBox(), await table.locator('td').first().boundingBox()];
    await table.evaluate((box) => box.scrollTo({ left: 300, behavior: 'instant' }));
    expect((await first.boundingBox())!.x).toBeCloseTo(before!.x, 0);
    expect((await table.locator('td').first().boundingBox())!.x).toBeCloseTo(cellBefore!.x - 300, 0);
  });

  test('shows marks below each other with a bar of their tone, and follows them', async () => {
    const { page } = await visit('report.html', desk, 'light');
    const marks = page.locator('.mark');
    const boxes = await Promise.all([0, 1].map(async (index) => (await marks.nth(index).boundingBox())!));
    expect(boxes[1]!.y).toBeGreaterThanOrEqual(boxes[0]!.y + boxes[0]!.height);
    const bars = await page
      .locator('.mark[class*=tone-]')
      .evaluateAll((all) =>
        all.map((one) => one.ownerDocument.defaultView!.getComputedStyle(one).borderLeftColor),
      );
    expect(new Set(bars).size).toBe(4);
    await marks.first().locator('a').click();
    expect(page.url()).toMatch(/#traffic-1$/);
  });

  test('shows hostile input as text', async () => {
    const { page } = await visit('report.html', desk, 'light');
    const shown = await page.locator('body').innerText();
    expect(shown.match(/<script>alert\("x"\)<\/script>/g)).toHaveLength(6);
  });

  test.each(['light', 'dark'] as const)('draws a chart as a file of its own in the %s', async (scheme) => {
    const { page, complaints } = await visit('charts/growth.svg', desk, scheme);
    expect(complaints).toEqual([]);
    const [ground, ink]: readonly string[] = await page.evaluate(`[
      getComputedStyle(document.querySelector('rect')).fill,
      getComputedStyle(document.querySelector('text')).fill,
    ]`);
    expect(luminance(ground!) > 0.5).toBe(scheme === 'light');
    expect(contrast(ink!, ground!)).toBeGreaterThan(4.5);
  });
});

/** As WCAG 2 defines it. */
function contrast(a: string, b: string): number {
  const [bright, dim] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(colour: string): number {
  const parts = colour.match(/^rgb\((\d+), (\d+), (\d+)\)$/)?.slice(1);
  if (!parts) throw new Error(`expected an opaque colour, got ${colour}`);
  const [r, g, b] = parts.map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
