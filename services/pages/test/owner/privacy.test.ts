/**
 * Tasks under differential privacy at the owner's page: taken only where the browser has promised to keep
 * its data, with noise that is drawn once.
 *
 * @claims S-529
 */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import type { TaskId } from '@eigenveil/task';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FILE_LABELS } from '../../src/owner/words.ts';
import { BrowserOwner } from '../support/browser-owner.ts';
import { finish, irisTask, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';

const PRIVACY = {
  epsilon: 1,
  delta: 1e-6,
  clippingNorm: 1,
  neighbours: 'add-remove',
  noise: 'owners',
  honestOwners: 1,
  dataIndependentRanges: true,
};

describe.skipIf(browserMissing)('the owner’s page under differential privacy', { tags: ['long'] }, () => {
  let site: Site;
  let files: readonly string[];
  const newTask = () => irisTask(site, { differentialPrivacy: PRIVACY, outputs: [] });

  /** At a task, on a device whose browser answers so when it is asked to keep the page's data. */
  async function ownerAt(task: TaskId, storage: 'granted' | 'denied'): Promise<BrowserOwner> {
    const owner = await BrowserOwner.arrive(site);
    await owner.visit.promise(storage);
    await owner.enrol();
    await owner.allow();
    await owner.show(task);
    return owner;
  }

  beforeAll(async () => {
    site = await Site.start();
    files = await splitRows(site.folder, 3);
  });
  afterAll(() => site.close());

  test('takes no task as long as the browser may forget', async () => {
    const task = await newTask();
    const owner = await ownerAt(task, 'denied');
    const { page } = owner;
    await page.getByText('This device cannot take part under differential privacy').waitFor();
    await page.getByRole('button', { name: 'Ask the browser to keep them' }).click();
    await page.getByText('The browser has refused').waitFor();
    expect(await page.getByRole('button', { name: 'Read the file' }).count()).toBe(0);
    expect((await site.services.client.status(task)).contributions).toBe(0);

    // Once it promises, the same task is taken.
    await owner.visit.promise('granted');
    await page.getByRole('button', { name: 'Ask the browser to keep them' }).click();
    await page
      .getByText('This device cannot take part under differential privacy')
      .waitFor({ state: 'detached' });
    await owner.contribute(files[0]!);
    expect((await site.services.client.status(task)).contributions).toBe(1);
  });

  test('draws its noise once, though the page was closed between keeping and sending', async () => {
    const task = await newTask();
    const other = await ownerAt(task, 'granted');
    await other.contribute(files[0]!);
    const owner = await ownerAt(task, 'granted');
    const kept = await owner.cutOff(task, files[1]!);
    const { owner: again, sent } = await owner.comeBack(task);
    // Nothing may be drawn in place of what was kept.
    expect(await again.page.getByLabel(FILE_LABELS.discard).count()).toBe(0);
    await again.contribute(files[1]!);
    expect(sent).toEqual([kept]);

    await finish(site, task);
    await again.page.getByRole('button', { name: 'Get the result' }).click();
    await again.page.getByText('The result is checked').waitFor();
  });
});
