/** People at their devices: a Chromium that trusts the key of our services and finds nothing else, and visits that are watched. */
import { keyPin } from '@eigenveil/studies/demo/own-certificate';
import { launchOptions } from '@eigenveil/studies/instrument/report/in-browser';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { watch } from './watch.ts';

/** One context of the browser, as of one person on one device, with a page. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What it has done so far that a page must not do. */
  readonly complaints: readonly string[];
  /** Has the test fail for what a page must not do; it is called at the end in any case. */
  clean(): void;
  /** Takes a complaint back that the test means to cause, such as the browser's own line about a refused request; there must be one. */
  pardon(pattern: RegExp): void;
  /** What the browser answers from now on when the page asks it to keep the origin's data. */
  promise(storage: 'granted' | 'denied'): Promise<void>;
}

export class Visitors {
  readonly browser: Browser;
  readonly #session: CDPSession;
  readonly #origins: readonly string[];
  readonly #visits: Visit[] = [];

  private constructor(browser: Browser, session: CDPSession, origins: readonly string[]) {
    this.browser = browser;
    this.#session = session;
    this.#origins = origins;
  }

  /** @param urls of all that pages may ask, which show this certificate */
  static async arrive(certificate: string, urls: readonly string[]): Promise<Visitors> {
    const browser = await chromium.launch({
      ...launchOptions,
      args: [
        ...launchOptions.args,
        // Any other certificate is an error, as ever.
        `--ignore-certificate-errors-spki-list=${keyPin(certificate)}`,
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
    const origins = urls.map((url) => new URL(url).origin);
    return new Visitors(browser, await browser.newBrowserCDPSession(), origins);
  }

  /** A visit that ends with the test. */
  async visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const visit = await this.open(url, options);
    onTestFinished(async () => {
      await visit.context.close();
      visit.clean();
    });
    return visit;
  }

  /** A visit that ends when all leave. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(launchOptions.timeout);
    const complaints = await watch(context, this.#origins);
    const page = await context.newPage();
    const visit: Visit = {
      context,
      page,
      complaints,
      clean: () => expect(complaints, 'what the page must not do').toEqual([]),
      pardon(pattern) {
        const others = complaints.filter((complaint) => !pattern.test(complaint));
        expect(others.length, `complaints like ${pattern}`).toBeLessThan(complaints.length);
        complaints.splice(0, complaints.length, ...others);
      },
      promise: (storage) => this.#promise(page, storage),
    };
    this.#visits.push(visit);
    await page.goto(url);
    return visit;
  }

  /** The browser forgets what it was told when the session ends that told it; this one ends with the browser. */
  async #promise(page: Page, setting: 'granted' | 'denied'): Promise<void> {
    const ofPage = await page.context().newCDPSession(page);
    const { targetInfo } = await ofPage.send('Target.getTargetInfo');
    await ofPage.detach();
    await this.#session.send('Browser.setPermission', {
      permission: { name: 'persistent-storage' },
      setting,
      origin: new URL(page.url()).origin,
      browserContextId: targetInfo.browserContextId!,
    });
  }

  /** Fails for what any page did that it must not. */
  async leave(): Promise<void> {
    await this.browser.close();
    for (const visit of this.#visits) visit.clean();
  }
}
