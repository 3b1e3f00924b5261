/** A page by keyboard alone: where Tab leads, that one sees where one is, and how to get to a thing and use it. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** More stops than any page has. */
const MOST = 300;

/** Presses Tab until `target` has the focus, which must be seen there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let i = 0; i < MOST; i += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      expect(await page.evaluate(focusProblem), String(target)).toBeNull();
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${String(target)}`);
}

/** Gets to `target` by Tab and presses a key there. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Gets to a field by Tab and types into it, instead of what is there. */
export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

/**
 * Goes through the whole page by Tab, from its beginning until the focus leaves it or comes round.
 * @returns the text of each stop, none of which may hide its focus
 */
export async function walk(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    document.body.setAttribute('tabindex', '-1');
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  const stops: string[] = [];
  const first = await next(page);
  for (let stop = first; stop !== null && stops.length < MOST; ) {
    stops.push(stop.name);
    expect(stop.problem, stop.name).toBeNull();
    stop = await next(page);
    if (stop?.order === 0) break;
  }
  expect(stops.length).toBeLessThan(MOST);
  return stops;
}

async function next(page: Page): Promise<{ name: string; order: number; problem: string | null } | null> {
  await page.keyboard.press('Tab');
  const stop = await page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return null;
    const all = [...document.querySelectorAll('[data-stop]')];
    const order = all.indexOf(element);
    if (order < 0) element.setAttribute('data-stop', '');
    const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return { name: `<${element.localName}> ${name.trim().slice(0, 60)}`, order };
  });
  return stop && { ...stop, problem: await page.evaluate(focusProblem) };
}

/** Runs in the page: why one does not see where the focus is. */
function focusProblem(): string | null {
  const element = document.activeElement!;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const marked = (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  if (!marked) return 'nothing marks the focus';
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const seen = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  return seen ? null : 'the focus is outside of the window';
}
