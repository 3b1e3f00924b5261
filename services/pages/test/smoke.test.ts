/** Both pages in a browser, once and quickly: each is handed out, runs under its policy, and does the first step. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningDataUser, startDataUser } from '@eigenveil/data-user';
import { loopback } from '@eigenveil/demo/loopback';
import { OwnerHost } from '@eigenveil/demo/owner-host';
import { browserMissing } from '@eigenveil/report/in-browser';
import { freePort } from '@eigenveil/testbed/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPages } from '../build/build.ts';
import { signIn } from './support/console.ts';
import { Visitors } from './support/visitors.ts';

describe.skipIf(browserMissing)('in a browser', () => {
  let folder: string;
  let host: OwnerHost;
  let dataUser: RunningDataUser;
  let visitors: Visitors;
  let consoleUrl: string;
  let operatorToken: string;

  beforeAll(async () => {
    await buildPages();
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-pages-'));
    const { dataUser: configuration, tls } = await loopback(folder);
    const url = `https://127.0.0.1:${configuration.port}`;
    [dataUser, host] = await Promise.all([
      startDataUser(configuration),
      OwnerHost.start(join(folder, 'page'), await freePort(), tls, {
        csp: configuration.cspUrl,
        dataUser: url,
      }),
    ]);
    consoleUrl = `${url}/console/`;
    operatorToken = (await readFile(join(configuration.dataDirectory, 'admin-token'), 'utf8')).trim();
    visitors = await Visitors.arrive(tls.cert, [url, host.url]);
  });

  afterAll(async () => {
    await host.close();
    await dataUser.close();
    await rm(folder, { recursive: true, force: true });
    await visitors.leave();
  });

  test('the data user hands out its console, which takes the operator’s token and shows that there is no task yet', async () => {
    const { page } = await visitors.visit(consoleUrl);
    await signIn(page, operatorToken);
    await page.getByText('There is no task yet').waitFor();
  });

  test('the owner’s page runs, and takes no text for HTML', async () => {
    const { page, complaints, pardon } = await visitors.visit(host.url);
    await expect.poll(() => page.locator('h1').count()).toBe(1);
    const asHtml = (text: string) =>
      page.evaluate((html) => {
        document.createElement('p').innerHTML = html;
      }, text);
    await asHtml(''); // as the library of charts does
    await expect(asHtml('<b>x</b>')).rejects.toThrow('TrustedHTML');
    await expect.poll(() => complaints).toHaveLength(2);
    pardon(/^violates require-trusted-types-for/);
    pardon(/^says .*TrustedHTML/);
  });
});
