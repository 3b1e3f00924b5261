/** The pictures of docs/console.md and docs/owner-page.md: taken where EIGENVEIL_PICTURES=1 is set, else only tried. */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { go, operator } from './support/console.ts';
import { picture } from './support/looks.ts';
import { contribute, finishedTask, IRIS, irisProposal, splitRows } from './support/owners.ts';
import { Site } from './support/site.ts';

const SCREEN = { viewport: { width: 1000, height: 700 }, colorScheme: 'light' } as const;

const proposal = (changes: Readonly<Record<string, unknown>> = {}) =>
  irisProposal({ twoParty: 'garbled', title: 'Flowers of four gardens', ...changes });

describe.skipIf(browserMissing)('pictures', { tags: ['long'] }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start({ twoParty: 'garbled' });
  });
  afterAll(() => site.close());

  test('of the console', async () => {
    const { client } = site.services;
    const done = await finishedTask(site, await proposal({ title: 'Flowers of last year' }));
    const open = await client.create(await proposal());
    const files = await splitRows(site.folder, 4);
    await contribute(site, open.task.id, files);
    const full = await client.create(await proposal({ title: 'Flowers of three meadows', maximumOwners: 3 }));
    await expect(contribute(site, full.task.id, files)).rejects.toMatchObject({ code: 'ERR_TASK_FULL' });

    const { page } = await operator(site, SCREEN);
    await page.getByRole('row').nth(3).waitFor();
    await picture(page, 'console-tasks');
    await go(page, `/tasks/${full.task.id}`);
    await page.getByText('ERR_TASK_FULL').waitFor();
    await page.locator('svg').first().waitFor();
    await picture(page, 'console-task');
    await go(page, `/tasks/${done.task.id}/result`);
    await page.locator('svg').first().waitFor();
    await picture(page, 'console-result');
    await go(page, '/draft');
    await page.locator('input[type=file]').setInputFiles(IRIS);
    await page.getByRole('button', { name: 'Write the draft' }).waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await picture(page, 'console-draft');
  });

  test('of the owners’ page', async () => {
    const { task } = await site.services.client.create(await proposal());
    const [link] = await site.links(1, task.id);
    const { page } = await site.open(link!, SCREEN);
    await page.getByRole('button', { name: 'Trust this CSP' }).waitFor();
    await picture(page, 'owner-enrol');
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    await page.getByRole('button', { name: 'Make the key without a backup' }).click();
    await page.getByRole('button', { name: 'Make it without a backup' }).click();
    await page.getByText('Your policy refuses this task').waitFor();
    await picture(page, 'owner-task');
  });
});
