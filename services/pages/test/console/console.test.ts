/** The console in a browser, against a CSP and a data user that run: from signing in to a task that ends. */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import type { TaskId } from '@eigenveil/task';
import { isErrorCode } from '@eigenveil/wire';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { adviceFor } from '../../src/console/words.ts';
import { signIn } from '../support/console.ts';
import { CONTROLS, expectUnhurt, hostileProposal, MARKUP } from '../support/hostile.ts';
import { press, type, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { contribute, irisProposal, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';
import type { Visit } from '../support/visitors.ts';

/** The text that has the focus: all of the page where it was lost. */
const focused = (page: Page) => page.evaluate(() => document.activeElement!.textContent);

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

  test('a wrong token is refused, the right one is kept nowhere, and a reload asks for it again', async () => {
    const { page, context, pardon } = await site.visit(site.consoleUrl);
    await press(page, page.getByRole('button', { name: 'Sign in' }));
    await page.getByText('Paste your token here.').waitFor();
    await type(page, page.getByLabel('Operator’s token'), 'x'.repeat(43));
    await page.keyboard.press('Enter');
    await page.getByText('This is not the operator’s token.').waitFor();
    pardon(/^says Failed to load resource: .* 401/);
    await expectAccessible(page);
    await expectFits(page);
    await type(page, page.getByLabel('Operator’s token'), site.operatorToken);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();

    // Neither the token nor a bearer, which is a JWT, is anywhere but in the page's memory.
    const kept = await page.evaluate(() => [
      location.href,
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, history.state]),
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input')].map(({ value }) => value),
    ]);
    for (const text of kept) {
      expect(text).not.toContain(site.operatorToken);
      expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/);
    }
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
    await page.reload();
    await heading(page, 'Sign in').waitFor();
    await page.getByText('asked for again when the page is loaded again').waitFor();
  });

  test('signing out ends what is shown, and says so', async () => {
    const { page } = await signedIn();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out, and this page has forgotten the session.').waitFor();
    expect(await page.locator('.freshness').count()).toBe(0);
  });

  test('a task goes from its JSON to its end, by keyboard alone', async () => {
    const proposal = await irisProposal({ minimumOwners: 2, maximumOwners: 3 });
    const { page } = await signedIn('create');
    const area = page.getByLabel('Task as JSON', { exact: true });
    await area.fill(JSON.stringify({ ...proposal, components: 'two' }, null, 2));
    await page.getByText('"components": expected a number, got a text').waitFor();
    await expectAccessible(page);
    await press(page, page.getByRole('button', { name: /^Show line/ }));
    expect(await page.evaluate(() => getSelection()!.toString())).toBe('"two"');
    await page.keyboard.type('2');
    await page.getByText('The task is valid.').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await press(page, page.getByRole('button', { name: 'Create the task' }));
    await heading(page, /^Task /).waitFor();
    const taskId = page.url().split('/').at(-1) as TaskId;

    // What it waits for is said as it changes.
    await expect.poll(() => waiting(page).textContent()).toContain('Waiting for at least 2 contributions');
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

    await press(page, page.getByRole('button', { name: 'Show who contributed' }));
    const owners = page.getByRole('table', { name: /^Contributors, in order/ });
    await expect.poll(() => owners.getByRole('row').count()).toBe(4);
    await expectAccessible(page);

    // The chart has its figures as a table, too.
    const chart = page.getByRole('img', { name: /^Contributions over time/ });
    await expect.poll(() => chart.locator('svg path').count()).toBeGreaterThan(2);
    await press(page, page.getByText('The figures as a table'));
    const figures = page.getByRole('table', { name: /^Contributions over time/ });
    await expect.poll(() => figures.getByRole('row').last().getByRole('cell').textContent()).toBe('3');
    await walk(page);

    await press(page, page.getByRole('button', { name: 'Close…' }));
    await press(page, page.getByRole('button', { name: 'Close and compute' }));
    await page.getByText('The task is closed: the computation starts.').waitFor();
    await expect.poll(() => waiting(page).textContent()).toContain('Nobody has to do anything.');
    await page.getByText('This task has ended.').waitFor();
    expect(await focused(page)).toMatch(/^Done The result is there/);
    expect(await page.getByText('The task is closed: the computation starts.').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0);
    await expectAccessible(page);
    await press(page, page.getByRole('link', { name: 'See the result' }));
    await page.waitForURL(/\/result$/);
  });

  test('a task that is over is renewed by a button, and the next one names its series', async () => {
    const { client } = site.services;
    const { task } = await client.create(await irisProposal({ title: 'Petals, weekly' }));
    const { page } = await signedIn();
    await page.goto(`${site.consoleUrl}#/tasks/${task.id}`);
    await page.getByText('It can be renewed once it is closed or cancelled.').waitFor();
    expect(await page.getByRole('button', { name: 'Renew…' }).count()).toBe(0);
    await client.cancelTask(task.id);
    await press(page, page.getByRole('button', { name: 'Renew…' }));
    const deadline = page.getByLabel('Deadline, UTC');
    await type(page, deadline, 'tomorrow');
    await page.keyboard.press('Enter');
    const fault = page.locator('.field', { has: deadline }).locator('.error');
    await fault.getByText('Expected a date and time in UTC').waitFor();
    await type(page, deadline, '2020-01-01T00:00:00Z');
    await press(page, page.getByRole('button', { name: 'Open the next task' }));
    await fault.getByText('Expected a time in the future.').waitFor();
    expect(await deadline.evaluate((it) => it === document.activeElement)).toBe(true);
    await expectAccessible(page);
    await expectFits(page);
    await type(page, deadline, ' ');
    await press(page, page.getByRole('button', { name: 'Open the next task' }));
    await page.getByText('The task is renewed').waitFor();
    expect(await focused(page)).toMatch(/^This is the first task of its series\. The next one is/);
    const [next] = await client.list();
    // Owners get the next task by what their page asks for.
    const forOwners = await page.getByRole('region', { name: 'For owners' }).textContent();
    expect(forOwners).toBe(
      `Task: ${next!.taskId}\nAddress of the data user: ${site.services.dataUser.url}\n`,
    );
    expect(await page.getByRole('button', { name: 'Renew…' }).count()).toBe(0);
    // The task knows its renewal when somebody comes back, too.
    await page.goto(`${site.consoleUrl}#/`);
    await page.goto(`${site.consoleUrl}#/tasks/${task.id}`);
    await page.getByText('This is the first task of its series. The next one is').waitFor();
    expect(await page.getByRole('button', { name: 'Renew…' }).count()).toBe(0);
    await press(page, page.getByRole('link', { name: `Petals, weekly ${next!.taskId}` }));
    await page.getByText(`Renewal 1 of task Petals, weekly ${task.id}`).waitFor();
    await expectAccessible(page);
    expect((await client.signed(next!.taskId)).task.series).toMatchObject({ id: task.id, number: 1 });
  });

  test('the list changes as tasks do, and goes back to the first of them', async () => {
    const { client } = site.services;
    const first = await client.create(await irisProposal());
    const second = await client.create(await irisProposal());
    const { page } = await signedIn();
    const row = (taskId: string) => page.getByRole('row').filter({ hasText: taskId });
    await row(first.task.id).getByText('PCA').waitFor();
    const third = await client.create(await irisProposal());
    await row(third.task.id).getByText('Open').waitFor();
    await client.cancelTask(third.task.id);
    await row(third.task.id).getByText('Cancelled').waitFor();
    await expectAccessible(page);
    await expectFits(page);

    // As if the page of newest tasks were so short: what is older is asked of the service.
    const newest = (await client.list()).filter(({ taskId }) => taskId === second.task.id);
    await page.route('**/progress', (route) =>
      route.fulfill({ body: lines({ kind: 'update', update: { tasks: newest, older: true } }, FINAL) }),
    );
    await page.getByRole('link', { name: 'Draft', exact: true }).click();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await press(page, page.getByRole('button', { name: 'Show older tasks' }));
    await row(first.task.id).waitFor();
    await page.getByText('The newest 1 tasks are live.').waitFor();
    expect(await page.getByRole('button', { name: 'Show older tasks' }).count()).toBe(0);
  });

  test('tasks are found by a title or an id, as they come, and a title is text', async () => {
    const { client } = site.services;
    const titled = await client.create(await irisProposal({ title: MARKUP }));
    const plain = await client.create(await irisProposal());
    const { page } = await signedIn();
    const row = (taskId: string) => page.getByRole('row').filter({ hasText: taskId });
    await row(plain.task.id).waitFor();
    const field = page.getByRole('searchbox', { name: 'Search by title or id' });
    await type(page, field, '<SCRIPT>');
    await expect.poll(() => row(plain.task.id).count()).toBe(0);
    await row(titled.task.id).getByText(MARKUP).waitFor();
    const next = await client.create(await irisProposal({ title: 'Another <script>' }));
    await row(next.task.id).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await field.fill('no task is called so');
    await page.getByText('No task has this text in its title or id.').waitFor();
    await field.fill(plain.task.id.slice(2).toUpperCase());
    await row(plain.task.id).waitFor();
    await field.fill(MARKUP);
    await press(page, page.getByRole('link', { name: MARKUP }));
    await heading(page, `Task ${MARKUP} ${titled.task.id}`).waitFor();
    await expectUnhurt(page);
    await expectFits(page);
  });

  test('a line that breaks is said, and followed again by itself', async () => {
    const { task } = await site.services.client.create(await irisProposal());
    const { page, pardon } = await signedIn();
    const updates: string[] = [];
    await page.route(`**/tasks/${task.id}/progress`, async (route) => {
      updates.push(route.request().url());
      // It breaks off, and ends without a word.
      if (updates.length === 1) await route.abort();
      else if (updates.length === 2) await route.fulfill({ body: '' });
      else await route.continue();
    });
    await page.goto(`${site.consoleUrl}#/tasks/${task.id}`);
    await page.getByText(/^Connection lost\. (?:Nothing was heard .*)?Retrying…$/).waitFor();
    pardon(/ERR_FAILED/);
    await expectAccessible(page);
    await page.getByText('The task is live.').waitFor();
    expect(updates).toHaveLength(3);
  });

  test('a data user that is silent is told of, until it is heard again', async () => {
    const { task } = await site.services.client.create(await irisProposal());
    const { page } = await signedIn(`tasks/${task.id}`);
    await page.getByText('The task is live.').waitFor();
    const { pid } = site.services.dataUser;
    process.kill(pid, 'SIGSTOP');
    try {
      await page.getByText(/Nothing was heard from the data user since .* out of date/).waitFor();
      await expectAccessible(page);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await page.getByText('The task is live.').waitFor();
    expect(await page.getByText('Nothing was heard').count()).toBe(0);
  });

  test('a session that the service does not take any more ends at once, and what was begun goes on after it', async () => {
    const { page, pardon } = await signedIn('create');
    await page.getByLabel('Task as JSON', { exact: true }).fill(JSON.stringify(await irisProposal()));
    const refuse = (status: number, code: string) =>
      page.route('**/tasks', (route) =>
        route.fulfill({
          status,
          contentType: 'application/problem+json',
          body: JSON.stringify({ type: 'x', title: 'x', status, code, detail: `${MARKUP} ${code}` }),
        }),
      );
    await refuse(401, 'ERR_AUTH_REQUIRED');
    await page.getByRole('button', { name: 'Create the task' }).click();
    await page.getByText('does not take this session any more').waitFor();
    pardon(/^says Failed to load resource: .* 401/);
    expect(await page.getByLabel('Task as JSON', { exact: true }).isVisible()).toBe(false);
    await page.unroute('**/tasks');
    await page.getByLabel('Operator’s token').fill(site.operatorToken);
    await page.keyboard.press('Enter');
    await page.getByText('The task is valid.').waitFor();

    // An answer that is lost: the same task is asked for again, not another one.
    const ids: unknown[] = [];
    await page.route('**/tasks', async (route) => {
      ids.push(route.request().postDataJSON().id);
      if (ids.length > 1) return route.continue();
      const { id, ...proposal } = route.request().postDataJSON();
      await site.services.client.create(proposal, id);
      await route.abort();
    });
    await page.getByRole('button', { name: 'Create the task' }).click();
    await page.getByText('there will not be two of it').waitFor();
    pardon(/^says Failed to load resource: net::ERR_FAILED/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, /^Task /).waitFor();
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
    await expectUnhurt(page);
  });

  test('what a service says about a refusal is text, cut where it is long', async () => {
    const { page, pardon } = await signedIn('create');
    const area = page.getByLabel('Task as JSON', { exact: true });
    await area.fill(JSON.stringify(hostileProposal()));
    const detail = `${MARKUP}${CONTROLS}${'x'.repeat(900)} end`;
    await page.route('**/tasks', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: 'x', title: 'x', status: 403, code: 'ERR_TASK_REFUSED', detail }),
      }),
    );
    await page.getByRole('button', { name: 'Create the task' }).click();
    const problem = page.getByRole('alert');
    await problem.getByText('The CSP’s operator decides what it allows.').waitFor();
    pardon(/^says Failed to load resource: .* 403/);
    expect(await problem.textContent()).not.toContain('x end');
    await press(page, problem.getByRole('button', { name: 'Show all' }));
    expect(await problem.textContent()).toContain('x end');
    // What turns text around is shown as a mark.
    expect(await problem.textContent()).not.toMatch(/[\p{Cf}\p{Cc}]/u);
    await expectUnhurt(page);
    await expectFits(page);
  });

  test('there is advice for every code with which an upload may be refused', async () => {
    const { page } = await site.visit(site.consoleUrl);
    const document = await page.evaluate(async () => (await fetch('/openapi.json')).json());
    const { responses } = document.paths['/tasks/{taskId}/contribution'].put;
    const codes = Object.entries<{ description: string }>(responses)
      .filter(([status]) => Number(status) < 500) // others are not counted
      .flatMap(([, { description }]) => description.match(/ERR_\w+/g) ?? [])
      .filter(isErrorCode);
    expect(codes.length).toBeGreaterThan(10);
    const none = adviceFor('ERR_EVENT_STALE'); // of no upload
    expect(codes.filter((code) => adviceFor(code) === none)).toEqual([]);
  });

  test('a computation shows how far it is, an obstacle what stops it, and a failure what to do', async () => {
    const { task } = await site.services.client.create(await irisProposal());
    const { page } = await signedIn();
    const at = '2030-01-01T00:00:10.000Z';
    const waitsFor = { who: 'nobody', code: 'nothing' };
    const show = async (changes: object, status: object) => {
      const update = {
        at,
        status: { ...(await site.services.client.status(task.id)), contributions: 3, waitsFor, ...status },
        minimumOwners: task.minimumOwners,
        maximumOwners: task.maximumOwners,
        deadline: task.deadline,
        arrivals: [],
        refused: [],
        stages: [],
        computation: null,
        ...changes,
      };
      await page.unroute(`**/tasks/${task.id}/progress`);
      await page.route(`**/tasks/${task.id}/progress`, (route) =>
        route.fulfill({ body: lines({ kind: 'update', update }, FINAL) }),
      );
      await page.goto(`${site.consoleUrl}#/`);
      await page.goto(`${site.consoleUrl}#/tasks/${task.id}`);
      await heading(page, /^Task /).waitFor();
    };
    const computation = { unit: 'AND gates', done: 2_500_000, planned: 10_000_000, secondsLeft: 90 };
    await show({ computation }, { state: 'unblinded', waitsFor: { who: 'csp', code: 'computation' } });
    const bar = page.getByRole('progressbar', { name: 'Two-party computation' });
    expect(await bar.getAttribute('aria-valuetext')).toBe('2,500,000 of 10,000,000 AND gates (25 %)');
    await page.getByText('About 1 minute 30 seconds left.').waitFor();
    await expectAccessible(page);

    const obstacle = { code: 'ERR_PEER_UNREACHABLE', message: `${MARKUP} cannot be reached` };
    const ofCsp = { who: 'csp', code: 'obstacle' };
    await show({}, { state: 'closed', waiting: obstacle, waitsFor: ofCsp });
    await page.getByText('The operator of the CSP has to fix what stops it.').waitFor();
    await page.getByText(/cannot be reached/).waitFor();

    const failure = { code: 'ERR_OWNER_COUNT', message: MARKUP };
    await show({}, { state: 'failed', failure });
    await page.getByText('The encrypted number of owners differs from the verified records').waitFor();
    await page.getByText('with owners that you trust more').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await expectUnhurt(page);
  });
});

const FINAL = { kind: 'end', reason: 'final' };

/** As a stream has them. */
function lines(...values: readonly unknown[]): string {
  return values.map((it) => `${JSON.stringify(it)}\n`).join('');
}
