/** A chart of the console whose library does not come: the page says so, and draws it when the library does. */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/console.ts';
import { expectAccessible } from '../support/looks.ts';
import { contribute, irisProposal, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';

describe.skipIf(browserMissing)('a chart', { tags: ['long'] }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site.close());

  test('is asked for again by its button and by a connection that is back', async () => {
    const { task } = await site.services.client.create(await irisProposal());
    await contribute(site, task.id, (await splitRows(site.folder, 2)).slice(0, 1));
    const { page, context, pardon } = await site.visit(`${site.consoleUrl}#/tasks/${task.id}`);
    const asked: string[] = [];
    await context.route(/\/charts-[0-9a-f]+\.js/, (route) => {
      asked.push(route.request().url());
      return asked.length <= 2 ? route.abort() : route.continue();
    });
    await signIn(page, site.operatorToken);
    const fault = page.getByText('The library that draws charts could not be loaded.');
    await fault.waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Draw the chart' }).click();
    await expect.poll(() => asked.length).toBe(2);
    await fault.waitFor();
    // The browser says it once it has a connection again.
    await expect
      .poll(async () => {
        await page.evaluate(() => dispatchEvent(new Event('online')));
        return page
          .getByRole('img', { name: /^Contributions over time/ })
          .locator('svg path')
          .count();
      })
      .toBeGreaterThan(1);
    expect(await fault.count()).toBe(0);
    pardon(/^says Failed to load resource/);
  });
});
