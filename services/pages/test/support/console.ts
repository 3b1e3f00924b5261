/** The operator at the console. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Site } from './site.ts';
import type { Visit } from './visitors.ts';

/** Signed in, at the list of tasks; the visit ends with the site. */
export async function operator(site: Site, options?: BrowserContextOptions): Promise<Visit> {
  const visit = await site.open(site.consoleUrl, options);
  await signIn(visit.page, site.operatorToken);
  return visit;
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Operator’s token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** To a place behind the #, without a new page, which would know no session. */
export async function go(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
}
