/** Every view of the console, as anybody may meet it: in the light and the dark, from phones to 4K, by keyboard alone, with hostile text. */
import { browserMissing } from '@eigenveil/report/in-browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { go, operator } from '../support/console.ts';
import { expectUnhurt, hostileProposal, MARKUP } from '../support/hostile.ts';
import { press, type, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { contribute, finishedTask, irisProposal, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';
import type { Visit } from '../support/visitors.ts';

describe.skipIf(browserMissing)('the console in a browser', { tags: ['long'] }, () => {
  let site: Site;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    site = await Site.start();
    visit = await operator(site);
    page = visit.page;
  });
  afterAll(() => site.close());

  async function expectFitForAnybody(): Promise<void> {
    await expectAccessible(page);
    await expectFits(page);
    expect((await walk(page)).length).toBeGreaterThan(2);
    await expectUnhurt(page);
    visit.clean();
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true }).first();

  test('asks for the token by keyboard, refuses another one, and forgets both', async () => {
    const other = await site.visit(site.consoleUrl);
    await expectAccessible(other.page);
    await expectFits(other.page);
    const field = other.page.getByLabel('Operator’s token');
    await type(other.page, field, 'x'.repeat(43));
    await other.page.keyboard.press('Enter');
    await other.page.getByText('This is not the operator’s token.').waitFor();
    other.pardon(/^says Failed to load resource: .* 401/);
    await expectAccessible(other.page);
    await type(other.page, field, site.operatorToken);
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('button', { name: 'Sign out' }).waitFor();
    // Nowhere but in the page's memory.
    const kept = await other.page.evaluate(() => [
      document.cookie,
      location.href,
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      document.documentElement.outerHTML,
    ]);
    for (const text of kept) expect(text).not.toContain(site.operatorToken);
    expect(await other.context.cookies()).toEqual([]);
    expect(await other.page.evaluate(() => indexedDB.databases())).toEqual([]);
    await other.page.reload();
    await other.page.getByLabel('Operator’s token').waitFor();
  });

  test('teaches where there is no task yet', async () => {
    await heading('There is no task yet').waitFor();
    await expectFitForAnybody();
  });

  test('creates, closes too early and cancels a task by keyboard alone', async () => {
    await press(page, page.getByRole('link', { name: 'Create', exact: true }));
    await heading('Create a task').waitFor();
    const area = page.getByRole('textbox', { name: 'Task as JSON' });
    await type(page, area, '{ "method": 1 }');
    await page.getByText('Something has to be mended').waitFor();
    await expectFitForAnybody();
    await type(page, area, JSON.stringify(await irisProposal(), null, 2));
    await page.getByText('The task fits together.').waitFor();
    await expectFitForAnybody();
    await press(page, page.getByRole('button', { name: 'Create the task' }));
    await page.getByRole('heading', { name: /^Task / }).waitFor();
    await page.getByRole('button', { name: 'Close…' }).waitFor();
    await expectFitForAnybody();
    await press(page, page.getByRole('button', { name: 'Close…' }));
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.keyboard.press('Escape');
    await press(page, page.getByRole('button', { name: 'Cancel…' }));
    const id = new URL(page.url()).hash.split('/')[2]!;
    await type(page, page.getByLabel('To confirm, type the id'), 'another');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the id of the task.').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await type(page, page.getByLabel('To confirm, type the id'), id);
    await page.keyboard.press('Enter');
    await page.getByText('The task is cancelled.').waitFor();
    await expectFitForAnybody();
  });

  test('shows a task whose every text is hostile, as text', async () => {
    const { task } = await site.services.client.create(hostileProposal());
    await go(page, `/tasks/${task.id}`);
    await page.getByText(MARKUP).first().waitFor();
    await expectFitForAnybody();
    await go(page, '/create');
    await page.getByRole('textbox', { name: 'Task as JSON' }).fill(JSON.stringify(hostileProposal()));
    await page.getByText('The task fits together.').waitFor();
    await expectFitForAnybody();
    await page.getByRole('textbox', { name: 'Task as JSON' }).fill(JSON.stringify({ [MARKUP]: MARKUP }));
    await page.getByText('Something has to be mended').waitFor();
    await expectFitForAnybody();
  });

  test('shows an open task with contributions, and a finished one with its result', async () => {
    const open = await site.services.client.create(await irisProposal());
    await contribute(site, open.task.id, await splitRows(site.folder, 3));
    await go(page, `/tasks/${open.task.id}`);
    await page.getByText('3 contributions; at least 2, at most 5').waitFor();
    await expectFitForAnybody();
    const done = await finishedTask(site, await irisProposal());
    await go(page, `/tasks/${done.task.id}`);
    await page.getByRole('link', { name: 'See the result' }).waitFor();
    await expectFitForAnybody();
    await press(page, page.getByRole('link', { name: 'See the result' }));
    await heading(/^Result/).waitFor();
    await expectFitForAnybody();
  });

  test.each([
    ['/', /^Tasks$/],
    ['/draft', /raft/],
    ['/nowhere', 'There is no such page'],
  ])('shows %s', async (place, name) => {
    await go(page, place);
    await heading(name).waitFor();
    await expectFitForAnybody();
  });
});
