/** What every view is held against: axe-core in the light and in the dark, phones to wide screens, and a picture for the documents. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PICTURES = fileURLToPath(new URL('../../../../docs/pictures/', import.meta.url));
const PICTURE_BYTES = 120_000;

/** From the narrowest that WCAG asks for to 4K, each with a height. */
const SCREENS = [
  [320, 640],
  [768, 1024],
  [1280, 800],
  [3840, 2160],
] as const;

/** Nothing that axe-core finds, however grave, in the light and in the dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findings(page), `in the ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** The page's policy forbids another script in it; the debugger may evaluate one all the same. */
async function findings(page: Page): Promise<string[]> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Runtime.evaluate', { expression: `${await readFile(AXE, 'utf8')};0` });
  const { result, exceptionDetails } = await debug.send('Runtime.evaluate', {
    expression: 'axe.run(document)',
    awaitPromise: true,
    returnByValue: true,
  });
  await debug.detach();
  expect(exceptionDetails).toBeUndefined();
  const { violations }: AxeResults = result.value;
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}

/** On no screen does the page scroll sideways, or is text outside of it or cut off. */
export async function expectFits(page: Page): Promise<void> {
  const before = page.viewportSize()!;
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    // What moves once sizes have been observed has moved when it sticks out the same after two more frames.
    let found: readonly string[] = [];
    let last: string;
    do {
      last = String(found);
      await settled(page);
      found = await page.evaluate(outside);
    } while (found.length > 0 && String(found) !== last);
    expect(found, `${width} px wide`).toEqual([]);
  }
  await page.setViewportSize(before);
}

/** Two frames later, when sizes have been observed and drawn. */
function settled(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** Runs in the page, so it uses nothing from here: what sticks out of the window, or is cut off in its own box. */
function outside(): string[] {
  const found: string[] = [];
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide)
    found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent!.trim() !== '',
    );
    const { left, right, width, height } = element.getBoundingClientRect();
    // What only readers of screens are to meet is a pixel large.
    if (!hasText || width <= 1 || height <= 1 || !element.checkVisibility()) continue;
    const name = `<${element.localName}> ${element.textContent!.trim().slice(0, 60)}`;
    const style = getComputedStyle(element);
    let scrolls = false;
    for (let up: Element | null = element; up !== null; up = up.parentElement)
      scrolls ||= ['auto', 'scroll'].includes(getComputedStyle(up).overflowX);
    if (!scrolls && (left < -1 || right > wide + 1)) found.push(`${name}: from ${left} to ${right}`);
    const hides = ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis';
    if (hides && element.scrollWidth > element.clientWidth + 1) found.push(`${name}: cut off`);
  }
  return found;
}

/**
 * A picture for the documents, of what the window shows. It is written where EIGENVEIL_PICTURES=1 is set; else the test sees only that
 * there is one, small enough.
 */
export async function picture(page: Page, name: string): Promise<void> {
  await settled(page);
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  expect(png.length, `bytes of ${name}.png`).toBeLessThanOrEqual(PICTURE_BYTES);
  if (process.env.EIGENVEIL_PICTURES !== '1') return;
  await mkdir(PICTURES, { recursive: true });
  await writeFile(`${PICTURES}${name}.png`, png);
}
