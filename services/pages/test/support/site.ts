/** A CSP and a data user as processes with TLS, a host of the owners' page, and the people who visit them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { OwnerHost } from '@eigenveil/studies/demo/owner-host';
import { type Services, startServices } from '@eigenveil/studies/demo/services';
import type { TaskId } from '@eigenveil/task';
import { freePort } from '@eigenveil/testbed/port';
import { Children } from '@eigenveil/testbed/processes/children';
import { Children as Programs } from '@eigenveil/testbed/processes/programs';
import type { BrowserContextOptions } from 'playwright-core';
import { buildPages } from '../../build/build.ts';

import { type Visit, Visitors } from './visitors.ts';

export class Site {
  readonly services: Services;
  readonly consoleUrl: string;
  readonly ownerUrl: string;
  /** Of the data user's operator. */
  readonly operatorToken: string;
  readonly folder: string;
  readonly #children: Children;
  readonly #host: OwnerHost;
  readonly #visitors: Visitors;

  private constructor(
    { services, operatorToken, folder }: Pick<Site, 'services' | 'operatorToken' | 'folder'>,
    children: Children,
    host: OwnerHost,
    visitors: Visitors,
  ) {
    this.services = services;
    this.operatorToken = operatorToken;
    this.folder = folder;
    this.consoleUrl = `${services.dataUser.url}/console/`;
    this.ownerUrl = host.url;
    this.#children = children;
    this.#host = host;
    this.#visitors = visitors;
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
      // The services are told of the host before it can be told of them.
      const port = await freePort();
      const { twoParty = 'simulated' } = setting;
      const flags = ['--allowed-origins', `https://127.0.0.1:${port}`];
      const services = await startServices(children, { folder, keyBits: 1024, twoParty, flags }, () => {});
      const [cert, key] = await Promise.all([
        readFile(services.caFile, 'utf8'),
        readFile(services.keyFile, 'utf8'),
      ]);
      const urls = { csp: services.csp.url, dataUser: services.dataUser.url };
      host = await OwnerHost.start(join(folder, 'page'), port, { cert, key }, urls);
      const operatorToken = (await readFile(join(services.dataUser.folder, 'admin-token'), 'utf8')).trim();
      const visitors = await Visitors.arrive(cert, [...Object.values(urls), host.url]);
      return new Site({ services, operatorToken, folder }, children, host, visitors);
    } catch (error) {
      await host?.close();
      await children.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** A visit that ends with the test. */
  visit(url: string, options?: BrowserContextOptions): Promise<Visit> {
    return this.#visitors.visit(url, options);
  }

  /** A visit that ends with the site. */
  open(url: string, options?: BrowserContextOptions): Promise<Visit> {
    return this.#visitors.open(url, options);
  }

  /** Tokens with which owners enrol at the CSP, once each. */
  invite(count: number): Promise<string[]> {
    return inviteOwners(this.services.csp.folder, count, 3600);
  }

  /** Links by which owners come to their page, enrol and find the task, as the CSP's command prints them. */
  async links(count: number, taskId: TaskId): Promise<readonly string[]> {
    const { csp, dataUser } = this.services;
    const { stdout, stderr } = await new Programs().run('csp', [
      ...['--json', 'invite', '--data-directory', csp.folder, '--count', String(count)],
      ...['--page', this.ownerUrl, '--public-url', csp.url, '--data-user', dataUser.url, '--task', taskId],
    ]);
    if (stderr !== '') throw new Error(stderr);
    return (JSON.parse(stdout) as { links: string[] }).links;
  }

  /**
   * Ends everything; fails for what any page did that it must not. The people leave first: a page that follows a stream asks again a second
   * after its service has gone, and its browser complains that nobody is there.
   */
  async close(): Promise<void> {
    try {
      await this.#visitors.leave();
    } finally {
      await this.#host.close();
      await this.services.client.close();
      await this.#children.stop();
      await rm(this.folder, { recursive: true, force: true });
    }
  }
}
