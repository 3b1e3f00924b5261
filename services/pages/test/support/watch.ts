/** What must not happen on a page: told by the page itself and by its browser, whatever a test is looking at. */
import type { BrowserContext, Page } from 'playwright-core';

/** A name in the page for what it tells. */
const TOLD = 'eigenveilTold';

declare global {
  interface Window {
    [TOLD]?: (complaint: string) => void;
    eigenveilLongTasks?: number[];
  }
}

/**
 * Collects complaints about all pages of a context: violations of the Content-Security-Policy and of Trusted Types, errors that nobody
 * caught, errors and warnings on the console, requests to other origins than these.
 */
export async function watch(context: BrowserContext, origins: readonly string[]): Promise<string[]> {
  const complaints: string[] = [];
  await context.exposeBinding(TOLD, (_, complaint: string) => complaints.push(complaint));
  // Scripts of the debugger are not subject to the page's policy.
  await context.addInitScript((told: string) => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      (window[told as typeof TOLD] as (complaint: string) => void)(
        `violates ${effectiveDirective}: ${blockedURI} ${sample}`,
      ),
    );
    window.eigenveilLongTasks = [];
    new PerformanceObserver((list) => {
      window.eigenveilLongTasks!.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask', buffered: true });
  }, TOLD);
  context.on('page', (page) => watchPage(page, origins, complaints));
  return complaints;
}

function watchPage(page: Page, origins: readonly string[], complaints: string[]): void {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`says ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`throws ${error.stack ?? error.message}`));
  page.on('crash', () => complaints.push('has crashed'));
  page.on('request', (request) => {
    const { protocol, origin, href } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && !origins.includes(origin))
      complaints.push(`asks another host: ${href}`);
  });
}

/** Milliseconds of each stretch over 50 ms in which the page answered nobody, since it was loaded or asked last. */
export function longTasks(page: Page): Promise<number[]> {
  return page.evaluate(() => window.eigenveilLongTasks!.splice(0));
}
