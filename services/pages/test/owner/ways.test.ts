/**
 * Ways through the owner's page that are not the straight one: a policy that changes, an answer that is lost,
 * an invitation that comes twice, a task by its address.
 */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { newTaskId, type TaskId } from '@eigenveil/task';
import { ownerLink } from '@eigenveil/wire/owner-link';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserOwner } from '../support/browser-owner.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { contribute, finish, irisTask, splitRows, TEST_POLICY } from '../support/owners.ts';
import { Site } from '../support/site.ts';

describe.skipIf(browserMissing)('the owner’s page on other ways', { tags: ['long'] }, () => {
  let site: Site;
  let files: readonly string[];
  const newTask = (changes?: Readonly<Record<string, unknown>>) => irisTask(site, changes);

  beforeAll(async () => {
    site = await Site.start();
    files = await splitRows(site.folder, 3);
  });
  afterAll(() => site.close());

  /** An owner whose policy takes the task, at its view. */
  async function ownerAt(task: TaskId, rules?: Readonly<Record<string, unknown>>): Promise<BrowserOwner> {
    const owner = await BrowserOwner.arrive(site, task);
    await owner.enrol();
    await owner.allow(rules);
    await owner.show(task);
    return owner;
  }

  async function allowOnce(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Allow for this task only…' }).click();
    await page.getByRole('button', { name: 'Allow for this task', exact: true }).click();
    await page.getByText('Your policy allows this task').waitFor();
  }

  /** Makes a page that is loaded next wait a twentieth of its pauses; its clock stays that of the services. */
  const hurry = (page: Page) =>
    page.addInitScript(() => {
      const { setInterval: repeat, setTimeout: wait } = window;
      type Timer = (work: () => void, pause: number) => unknown;
      const shorter =
        (of: Timer): Timer =>
        (work, pause) =>
          of(work, pause > 1000 ? pause / 20 : pause);
      Object.assign(window, { setInterval: shorter(repeat), setTimeout: shorter(wait) });
    });

  test('gives the result of what was contributed, though the policy refuses the task since', async () => {
    const [task, ofOthers] = [await newTask(), await newTask()];
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    await owner.enrol();
    await allowOnce(page);
    await owner.contribute(files[0]!);
    await contribute(site, task, files.slice(1));
    await contribute(site, ofOthers, files.slice(1));
    for (const id of [task, ofOthers]) await finish(site, id);
    await owner.show(ofOthers);
    await page.getByText('This task has ended without you').waitFor();

    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    const row = (id: TaskId) => page.getByRole('row').filter({ hasText: id });
    await row(task).getByText('the result is ready').waitFor();
    await row(ofOthers).getByText('ended', { exact: true }).waitFor();
    await row(task).getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove from the list' }).click();
    await row(task).waitFor({ state: 'detached' });
    await owner.show(task);
    await page.getByText('The result is ready: get it.').waitFor();
    await page.getByRole('button', { name: 'Get the result' }).click();
    await page.getByText('The result is checked').waitFor();
    await page.getByText('You have the result, and it is checked').waitFor();
    await page.getByText('asked at least').waitFor();
    for (const before of ['get it', 'If you doubt that the task has ended'])
      expect(await page.getByText(before).count(), before).toBe(0);
  });

  test('sends again what was prepared, though the policy refuses the task since', async () => {
    const task = await newTask();
    const owner = await ownerAt(task, TEST_POLICY);
    const kept = await owner.cutOff(task, files[0]!);
    const { owner: again, sent } = await owner.comeBack(task);
    await again.allow({ minimumOwners: 9 });
    await again.show(task);
    await again.page.getByText('Your policy refuses this task').waitFor();
    await again.page.getByText('it can be sent again all the same').waitFor();
    await again.contribute(files[0]!);
    expect(sent).toEqual([kept]);
  });

  test('tells of a withdrawal that nobody has confirmed that it is not done', async () => {
    const task = await newTask();
    const owner = await ownerAt(task);
    await owner.contribute(files[0]!);
    const { context } = owner.visit;
    const place = `**/tasks/${task}/contribution`;
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await context.route(place, async (route) => {
      await route.abort();
      resolve();
    });
    const complaint = owner.page.waitForEvent('console', (said) => said.text().includes('ERR_FAILED'));
    await owner.page.getByRole('button', { name: 'Withdraw…' }).click();
    await owner.page.getByRole('button', { name: 'Withdraw for good' }).click();
    await Promise.all([asked, complaint]);
    await owner.page.close({ runBeforeUnload: false });
    await context.unroute(place);
    owner.visit.pardon(/ERR_FAILED/);

    const page = await context.newPage();
    await page.goto(`${site.ownerUrl}#/tasks/${task}`);
    await page.getByText('Your withdrawal is not confirmed yet: withdraw once more.').waitFor();
    await page.getByText('Your contribution may still count').waitFor();
    expect(await page.getByText('You have withdrawn').count()).toBe(0);
    expect((await site.services.client.status(task)).contributions).toBe(1);
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('withdrawal not confirmed: withdraw once more').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Withdraw…' }).click();
    await page.getByRole('button', { name: 'Withdraw for good' }).click();
    await page.getByText('You have withdrawn: there is nothing more to do here.').waitFor();
    await page.getByText('You have withdrawn from this task, for good').waitFor();
    expect((await site.services.client.status(task)).contributions).toBe(0);
  });

  test('gives a withdrawal up with its dialog, and begins none without a connection', async () => {
    const task = await newTask();
    const owner = await ownerAt(task);
    const { page } = owner;
    const { context } = owner.visit;
    await owner.contribute(files[0]!);
    const asked: string[] = [];
    const place = `**/tasks/${task}/contribution`;
    await context.route(place, (route) => {
      asked.push(route.request().method()); // and no answer
    });
    const withdraw = async () => {
      await page.getByRole('button', { name: 'Withdraw…' }).click();
      await page.getByRole('button', { name: 'Withdraw for good' }).click();
    };
    const stay = () => page.getByRole('button', { name: 'Stay in' }).click();
    await context.setOffline(true);
    await withdraw();
    await page.getByText('You are offline. Trying again…').waitFor();
    await stay();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await context.setOffline(false);
    await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(true);
    await page.getByText('You have contributed').waitFor();
    expect(await page.getByText('Your withdrawal is not confirmed').count()).toBe(0);

    // The data user may have this one, so that nobody knows what has become of it.
    await withdraw();
    await expect.poll(() => asked).toEqual(['DELETE']);
    await stay();
    await page.getByText('Your withdrawal is not confirmed yet', { exact: true }).waitFor();
    await context.unroute(place);
    await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' });
    expect((await site.services.client.status(task)).contributions).toBe(1);
  });

  test('leads an enrolled owner from another invitation to its task', async () => {
    const [task, second] = [await newTask(), await newTask()];
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await steps.first().waitFor();
    expect(await steps.allInnerTexts()).toEqual(['Trust', 'Key', 'Task', 'Policy', 'Contribution', 'Result']);
    await page.getByText('are told to enrolled owners alone').waitFor();
    await owner.enrol();
    const { csp, dataUser } = site.services;
    const invitation = { csp: csp.url, thumbprint: csp.thumbprint, dataUser: dataUser.url, task: second };
    for (const link of [owner.link, ownerLink(site.ownerUrl, invitation)]) {
      await page.goto(link);
      await page.getByText('You are enrolled already').waitFor();
      await page.getByRole('heading', { name: 'You are invited to a task' }).waitFor({ timeout: 5000 });
      expect(await page.locator('button.main:visible').count()).toBe(1);
      await expectAccessible(page);
      await expectFits(page);
      await page.getByRole('button', { name: 'Go to the task' }).click();
      await page.getByText('Your policy refuses this task').waitFor();
    }
    await page.getByRole('heading', { level: 1, name: `Task ${second}` }).waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('row').nth(2).waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
    // Another token renews the enrolment.
    await page.goto((await site.links(1, second))[0]!);
    await page.getByText('Only if your enrolment has expired: renew it').click();
    await page.getByRole('button', { name: 'Trust this CSP and enrol' }).click();
    await page.getByRole('heading', { level: 1, name: `Task ${second}` }).waitFor();
  });

  test('says from when on a policy takes the next task of a series, before a row is read', async () => {
    const task = await newTask();
    const owner = await ownerAt(task, {
      ...{ minimumKeyBits: 1024, twoParty: ['simulated'], allowFullRank: true },
      ...{ series: { most: 3, shortestIntervalHours: 24 }, answers: { rotated: 1, wholes: 2 } },
    });
    const { page } = owner;
    await owner.contribute(files[0]!);
    await contribute(site, task, files.slice(1));
    await finish(site, task);
    const { task: renewal } = await site.services.client.renew(task);
    await page.getByRole('button', { name: 'Look for the next task' }).click();
    await page.getByRole('link', { name: renewal.id }).click();
    await page.getByText(/A series goes on no sooner than in .* UTC\), by the shortest interval/).waitFor();
    expect(await page.getByRole('button', { name: 'Read the file' }).count()).toBe(0);
    await allowOnce(page);
    await owner.contribute(files[0]!);
  });

  test('tells what becomes of a task to an owner who waits, and of a task that it cannot reach', async () => {
    const [task, cancelled] = [await newTask(), await newTask()];
    const owner = await ownerAt(task);
    const { page } = owner;
    await owner.contribute(files[0]!);
    await hurry(page);
    await page.reload();
    await page.getByText('Your contribution is in').waitFor();
    await contribute(site, task, files.slice(1));
    await finish(site, task);
    await page.getByText('The result is ready: get it.').waitFor();

    const place = `**/tasks/${task}`;
    await owner.visit.context.route(place, (route) => route.abort());
    await page.reload();
    await page.getByText('No connection to the data user. Retrying…').waitFor();
    await page.getByText('You have contributed').waitFor();
    expect(await page.getByText('Nothing of yours was read').count()).toBe(0);
    await page.locator('button[aria-busy=true]', { hasText: 'Try again' }).waitFor(); // by itself
    await owner.visit.context.unroute(place);
    await page.getByText('The result is ready: get it.').waitFor();
    owner.visit.pardon(/ERR_FAILED/);

    // The end of waiting tells it, too, without a look from time to time.
    await page.addInitScript(() => Object.assign(window, { setInterval: () => 0 }));
    await page.reload();
    await owner.show(cancelled);
    await owner.contribute(files[0]!);
    await page.getByRole('button', { name: 'Get the result' }).click();
    await page.getByText('There is no result yet').waitFor();
    await site.services.client.cancelTask(cancelled);
    await page.getByText('This task has been cancelled').waitFor();
    expect(await page.getByText('that you could trust').count()).toBe(0);
    owner.visit.pardon(/status of 409/);
  });

  test('shows the enrolment at the address of a task, and lists no task that nobody has shown', async () => {
    const task = await newTask();
    const { page: stranger } = await site.visit(`${site.ownerUrl}#/tasks/${task}`);
    await stranger.getByRole('heading', { name: 'Become a data owner' }).waitFor();
    await stranger.getByText('You need an invitation').waitFor();

    const owner = await ownerAt(task);
    const { page } = owner;
    const look = async (id: TaskId, dataUser: string) => {
      await page.getByRole('link', { name: 'Tasks', exact: true }).click();
      await page.getByLabel('Task', { exact: true }).fill(id);
      await page.getByLabel('Address of the data user').fill(dataUser);
      await page.getByRole('button', { name: 'Show the task' }).click();
    };
    await look(newTaskId(), 'https://elsewhere.example.org');
    const { csp, dataUser } = site.services;
    await page
      .locator('.error', { hasText: `This page can reach ${csp.url}, ${dataUser.url} alone.` })
      .or(page.locator('.error', { hasText: `This page can reach ${dataUser.url}, ${csp.url} alone.` }))
      .waitFor();
    await look(newTaskId(), dataUser.url);
    await page.getByText('ERR_TASK_UNKNOWN').waitFor();
    owner.visit.pardon(/404/);
    await page.reload();
    await page.getByRole('link', { name: task }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });
});
