/** Every view of the console, as anybody may meet it: in the light and the dark, from phones to 4K, by keyboard alone, with hostile text. */
import { basisFrom } from '@eigenveil/data-user';
import { draftRanged } from '@eigenveil/data-user/draft';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { TaskProposal } from '@eigenveil/task';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { go, operator } from '../support/console.ts';
import { expectUnhurt, hostileProposal, hostileRows, MARKUP } from '../support/hostile.ts';
import { press, type, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import {
  contribute,
  countsProposal,
  finish,
  finishedTask,
  IRIS,
  irisProposal,
  splitRows,
} from '../support/owners.ts';
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

  test.each([
    ['/', /^Tasks$/],
    ['/draft', /raft/],
    ['/create', 'Create a task'],
    ['/tasks/0123456789012345678901', /^Task /],
    ['/nowhere', 'There is no such page'],
  ])('shows %s while there is no task', async (place, name) => {
    await go(page, place);
    await heading(name).waitFor();
    if (place.startsWith('/tasks/')) {
      await page.getByText('The task cannot be shown').waitFor();
      visit.pardon(/^says Failed to load resource: .* 404/);
    }
    await expectFitForAnybody();
  });

  test('cancels a task by keyboard, once its name is typed', async () => {
    const { task } = await site.services.client.create(await irisProposal());
    await go(page, `/tasks/${task.id}`);
    await press(page, page.getByRole('button', { name: 'Cancel…' }));
    const field = page.getByLabel('To confirm, type the id');
    await type(page, field, 'another');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the id of the task.').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await type(page, field, task.id);
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
    await page.getByText('The task is valid.').waitFor();
    await expectFitForAnybody();
    await page.getByRole('textbox', { name: 'Task as JSON' }).fill(JSON.stringify({ [MARKUP]: MARKUP }));
    await page.getByText('There are problems to fix').waitFor();
    await expectFitForAnybody();

    const rows = await hostileRows(site.folder, task);
    await contribute(site, task.id, [rows, rows], []);
    await finish(site, task.id);
    await go(page, `/tasks/${task.id}/result`);
    await heading(/^Result/).waitFor();
    await page.getByText(MARKUP.slice(0, 12)).first().waitFor();
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
    await page.getByText('Thumbprints and digests').click();
    const thumbprint = page.locator('.thumbprint').first();
    expect(await thumbprint.textContent()).toBe(done.task.csp);
    expect(await thumbprint.locator('span').allTextContents()).toHaveLength(Math.ceil(43 / 4));
    await expectFitForAnybody();
  });

  test('shows the result of a histogram: quantiles, a drawing of each feature, and who vouches for it', async () => {
    const { task } = await finishedTask(site, await countsProposal());
    const { histograms } = await site.services.client.result(task.id);
    await go(page, `/tasks/${task.id}/result`);
    await page.getByText('3 owners, as the CSP has verified').waitFor();
    const quantiles = page.getByRole('table', {
      name: 'Each the upper edge of the bin that it lies in, with an interval of confidence 0.95',
    });
    for (const { name, quantiles: found } of histograms!) {
      const cells = await quantiles.getByRole('row', { name }).getByRole('cell').allTextContents();
      for (const { value } of found) expect(cells.join()).toContain(String(Number(value.toPrecision(4))));
    }
    await page.getByLabel('Feature').selectOption(histograms![2]!.name);
    await page.getByText('The figures as a table').click();
    const counts = page.getByRole('table', { name: `Counts of ${histograms![2]!.name}` });
    // Two of 128 bins together.
    const first = await counts.getByRole('row').nth(1).textContent();
    const [one, other] = histograms![2]!.counts;
    expect(first).toBe(`00.1563${new Intl.NumberFormat('en').format(one! + other!)}`);
    await page.getByText('The figures as a table').click();
    await expectFitForAnybody();
    await go(page, `/tasks/${task.id}`);
    await page.getByText('nothing but noisy counts and what follows from them').waitFor();
  });

  test('takes the ranges of a projection from a histogram, as far as its noise allows', async () => {
    const { task } = await finishedTask(site, await countsProposal());
    await go(page, `/tasks/${task.id}/result`);
    await page.getByText('Ranges come from the noisy counts').waitFor();
    const [below, upTo] = [page.getByLabel('Rows below a range'), page.getByLabel('Rows up to its end')];
    const fault = (field: Locator) => page.locator('.field', { has: field }).locator('.error');
    await below.fill('0.3');
    await fault(below).getByText('This must be a number above 0, and at most 0.2.').waitFor();
    await upTo.fill('');
    await fault(upTo).getByText('This must be a number from 0.8 to below 1.').waitFor();
    expect(await page.getByText('These counts give no such ranges').count()).toBe(0);
    await expectFitForAnybody();
    await upTo.fill('0.995');
    await below.fill('0.2');
    await press(page, page.getByRole('button', { name: 'Draft a PCA with these ranges' }));
    await heading(/^Draft a task/).waitFor();
    // A histogram does not tell how coarse its features are, and a floor rests on it.
    await page.getByText('expected the spacing of its values or "cell"').first().waitFor();
    for (const i of task.features.keys()) await page.getByLabel(`grain of features[${i}]`).fill('0.1');
    await page.getByLabel('components', { exact: true }).fill('1');
    await page.getByText('The task is valid.').waitFor();
    await expectFitForAnybody();
    const drafted = TaskProposal.parse(
      JSON.parse(await page.getByLabel('The proposal as JSON').inputValue()),
    );
    const basis = await basisFrom(site.services.client, task.id);
    const { method, features } = drafted;
    const unranged = { method, features, labellings: [], rows: 0 };
    const { draft } = draftRanged(basis, unranged, { lower: 0.2, upper: 0.995 });
    const ranged = draft.features.map((feature) => ({ ...feature, grain: 0.1 }));
    expect(drafted).toMatchObject({ rangesFrom: basis.digest, features: ranged });
    for (const [i, { min, max }] of features.entries()) {
      expect(max - min).toBeLessThan(task.features[i]!.max - task.features[i]!.min);
    }

    // By its id, for a draft from a sample.
    await go(page, '/draft');
    await page.locator('input[type=file]').setInputFiles(IRIS);
    await page.getByLabel('Ranges from a histogram').fill(task.id);
    await press(page, page.getByRole('button', { name: 'Write the draft' }));
    const json = page.getByLabel('The proposal as JSON');
    await expect.poll(async () => JSON.parse(await json.inputValue()).components).not.toBe(1);
    const { rangesFrom, maximumOwners } = JSON.parse(await json.inputValue());
    expect({ rangesFrom, maximumOwners }).toEqual({ rangesFrom: basis.digest, maximumOwners: 10 });
    await page.getByText(/^ranges come from the noisy counts of task/).waitFor();

    const created = await site.services.client.create(drafted);
    await go(page, `/tasks/${created.task.id}`);
    await page.getByText(basis.digest, { exact: true }).waitFor();
    await expectFitForAnybody();
  });

  test('shows the result of a regression: the weight of each feature, and who vouches for it', async () => {
    const ridge = { method: { kind: 'ridge', ridge: 1 }, components: 0, outputs: [] };
    const { task } = await finishedTask(site, await irisProposal(ridge));
    const { regression } = await site.services.client.result(task.id);
    await go(page, `/tasks/${task.id}/result`);
    await page.getByText('3 owners, as the CSP has verified').waitFor();
    const weights = page.getByRole('table', { name: 'Weights' });
    for (const [i, weight] of regression!.weights.entries()) {
      const cells = weights.getByRole('row', { name: task.features[i]!.name }).getByRole('cell');
      expect(await cells.last().textContent()).toBe(weight.toPrecision(6));
    }
    await expectFitForAnybody();
    await go(page, `/tasks/${task.id}`);
    await page.getByText('predicted from the others').waitFor();
    await page.getByText('nothing but weights and intercept').waitFor();
    await expectFitForAnybody();
  });

  test('lists tasks', async () => {
    await go(page, '/');
    await page.getByRole('row').nth(3).waitFor();
    await expectFitForAnybody();
  });
});
