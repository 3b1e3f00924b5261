/** The console in a browser, against a CSP and a data user that run: from signing in to a task that ends. */
import { browserMissing } from '@eigenveil/report/in-browser';
import type { TaskId } from '@eigenveil/task';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/console.ts';
import { press, tabTo, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { contribute, irisProposal, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';
import type { Visit } from '../support/visitors.ts';

describe.skipIf(browserMissing)('the console', { tags: ['long'] }, () => {
  let site: Site;
  let files: string[];
  beforeAll(async () => {
    site = await Site.start();
    files = await splitRows(site.folder, 4);
  });
  afterAll(() => site.close());

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  async function signedIn(place = ''): Promise<Visit> {
    const visit = await site.visit(`${site.consoleUrl}#/${place}`);
    await signIn(visit.page, site.operatorToken);
    return visit;
  }

  const waiting = (page: Page) => page.locator('.waiting');

  test('an operator without a task is taught how to make the first', async () => {
    const { page } = await signedIn();
    await heading(page, 'Tasks').waitFor();
    await page.getByRole('heading', { name: 'There is no task yet' }).waitFor();
    expect(await page.getByText('npm run demo -- --keep').count()).toBe(1);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('link', { name: 'Draft a task' }).click();
    await heading(page, 'Draft').waitFor();
  });

  test('a wrong token is refused, the right one is kept nowhere, and a reload asks for it again', async () => {
    const { page, pardon } = await site.visit(site.consoleUrl);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByLabel('Operator’s token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the operator’s token').waitFor();
    pardon(/^says Failed to load resource: .* 401/);
    await expectAccessible(page);
    await tabTo(page, page.getByLabel('Operator’s token'));
    await page.keyboard.type(site.operatorToken);
    await page.keyboard.press('Enter');
    await heading(page, 'Tasks').waitFor();

    const kept = await page.evaluate(async () => ({
      address: location.href,
      cookie: document.cookie,
      storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
      databases: await indexedDB.databases(),
      state: JSON.stringify(history.state),
      inputs: [...document.querySelectorAll('input')].map(({ value }) => value),
    }));
    expect(kept).toEqual({
      address: site.consoleUrl,
      cookie: '',
      storage: '[{},{}]',
      databases: [],
      state: 'null',
      inputs: [],
    });
    await page.reload();
    await heading(page, 'Sign in').waitFor();
    await page.getByText('asked for again when the page is loaded again').waitFor();
  });

  test('signing out ends what is shown, and says so', async () => {
    const { page } = await signedIn();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    expect(await page.getByRole('heading', { name: 'Tasks' }).count()).toBe(0);
  });

  test('a task goes from its JSON to its end, by keyboard alone', async () => {
    const proposal = await irisProposal({ minimumOwners: 2, maximumOwners: 3 });
    const { page } = await signedIn('create');
    const area = page.getByLabel('Task as JSON');
    await area.fill(JSON.stringify({ ...proposal, components: 'two' }, null, 2));
    await page.getByText('"components": expected a number, got a text').waitFor();
    await expectAccessible(page);
    await press(page, page.getByRole('button', { name: /^Show line/ }));
    expect(await page.evaluate(() => getSelection()!.toString())).toBe('"two"');
    await page.keyboard.type('2');
    await page.getByText('The task fits together.').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await press(page, page.getByRole('button', { name: 'Create the task' }));
    await heading(page, /^Task /).waitFor();
    const taskId = page.url().split('/').at(-1) as TaskId;

    // What it waits for is said as it changes.
    await expect.poll(() => waiting(page).textContent()).toContain('Owners have to contribute');
    await page.getByText('0 contributions; at least 2, at most 3').waitFor();
    await contribute(site, taskId, files.slice(0, 1));
    await page.getByText('1 contribution; at least 2, at most 3').waitFor();
    await press(page, page.getByRole('button', { name: 'Close…' }));
    await page.getByText('The task has 1 contribution and needs 2').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement!.textContent)).toBe('Close…');

    await contribute(site, taskId, files.slice(1, 3));
    await expect.poll(() => waiting(page).textContent()).toContain('it has its largest number');
    await expect(contribute(site, taskId, files.slice(3))).rejects.toMatchObject({ code: 'ERR_TASK_FULL' });
    await page.getByText('ERR_TASK_FULL').waitFor();
    await page.getByText('create another one with room for more').waitFor();
    await expectAccessible(page);
    await expectFits(page);

    // The chart has its figures as a table, too.
    const chart = page.getByRole('img', { name: /^Contributions over time/ });
    expect(await chart.locator('svg path').count()).toBeGreaterThan(2);
    await press(page, page.getByText('The figures as a table'));
    const figures = page.getByRole('table', { name: /^Contributions over time/ });
    await expect.poll(() => figures.getByRole('row').last().getByRole('cell').textContent()).toBe('3');
    await walk(page);

    await press(page, page.getByRole('button', { name: 'Close…' }));
    await press(page, page.getByRole('button', { name: 'Close and compute' }));
    await page.getByText('The task is closed: the computation starts.').waitFor();
    await expect.poll(() => waiting(page).textContent()).toContain('Nobody has to do anything.');
    await page.getByText('Nothing changes any more.').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0);
    await expectAccessible(page);
    await press(page, page.getByRole('link', { name: 'See the result' }));
    await page.waitForURL(/\/result$/);
  });
});
