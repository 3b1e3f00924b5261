/** A CSP and a data user as processes with TLS, a host of the owners' page, and a browser that trusts their key and reaches nothing else. */
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { type Services, startServices } from '@eigenveil/demo/services';
import { launchOptions } from '@eigenveil/report/in-browser';
import { freePort } from '@eigenveil/testbed/port';
import { Children } from '@eigenveil/testbed/processes/children';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { buildPages } from '../../build/build.ts';
import { OwnerHost } from './owner-host.ts';
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
}

export class Site {
  readonly services: Services;
  readonly browser: Browser;
  readonly consoleUrl: string;
  readonly ownerUrl: string;
  /** Of the data user's operator. */
  readonly operatorToken: string;
  readonly folder: string;
  readonly #children: Children;
  readonly #host: OwnerHost;
  readonly #visits: Visit[] = [];

  private constructor(
    parts: Pick<Site, 'services' | 'browser' | 'operatorToken' | 'folder'>,
    children: Children,
    host: OwnerHost,
  ) {
    this.services = parts.services;
    this.browser = parts.browser;
    this.operatorToken = parts.operatorToken;
    this.folder = parts.folder;
    this.consoleUrl = `${parts.services.dataUser.url}/console/`;
    this.ownerUrl = `${host.url}/`;
    this.#children = children;
    this.#host = host;
  }

  /** With the pages as their sources are now, and keys of 1024 bits allowed. */
  static async start(
    setting: { readonly twoParty?: 'simulated' | 'garbled' | 'rotated' } = {},
  ): Promise<Site> {
    await buildPages();
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-pages-'));
    const children = new Children();
    let host: OwnerHost | undefined;
    try {
      const port = await freePort();
      const { twoParty = 'simulated' } = setting;
      const services = await startServices(children, { folder, keyBits: 1024, twoParty }, () => {});
      const [cert, key] = await Promise.all([
        readFile(services.caFile, 'utf8'),
        readFile(services.keyFile, 'utf8'),
      ]);
      host = await OwnerHost.start(port, { cert, key }, [services.csp.url, services.dataUser.url]);
      const operatorToken = (await readFile(join(services.dataUser.folder, 'admin-token'), 'utf8')).trim();
      const browser = await chromium.launch({
        ...launchOptions,
        args: [
          ...launchOptions.args,
          // Any other certificate is an error, as ever.
          `--ignore-certificate-errors-spki-list=${pinOf(cert)}`,
          '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
        ],
      });
      return new Site({ services, browser, operatorToken, folder }, children, host);
    } catch (error) {
      await host?.close();
      await children.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
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

  /** A visit that ends with the site. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    const { csp, dataUser } = this.services;
    const complaints = await watch(
      context,
      [csp.url, dataUser.url, this.ownerUrl].map((it) => new URL(it).origin),
    );
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
    };
    this.#visits.push(visit);
    await page.goto(url);
    return visit;
  }

  /** Tokens with which owners enrol at the CSP, once each. */
  invite(count: number): Promise<string[]> {
    return inviteOwners(this.services.csp.folder, count, 3600);
  }

  /** Ends everything; fails for what any page did that it must not. */
  async close(): Promise<void> {
    await this.browser.close();
    await this.#host.close();
    await this.services.client.close();
    await this.#children.stop();
    await rm(this.folder, { recursive: true, force: true });
    for (const visit of this.#visits) visit.clean();
  }
}

/** By which Chromium trusts a certificate that no authority has signed. */
function pinOf(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64');
}
