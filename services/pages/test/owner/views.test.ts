/** Every view of the owner's page, as anybody may meet it: in the light and the dark, from phones to 4K, by keyboard alone, with hostile text. */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import type { TaskId } from '@eigenveil/task';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { go } from '../support/console.ts';
import { expectUnhurt, hostileProposal, hostileRows, MARKUP } from '../support/hostile.ts';
import { press, type, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { contribute, finish } from '../support/owners.ts';
import { Site } from '../support/site.ts';
import type { Visit } from '../support/visitors.ts';

describe.skipIf(browserMissing)('the owner’s page in a browser', { tags: ['long'] }, () => {
  let site: Site;
  let visit: Visit;
  let page: Page;
  let taskId: TaskId;
  let rows: string;
  beforeAll(async () => {
    site = await Site.start();
    const proposal = hostileProposal();
    taskId = (await site.services.client.create(proposal)).task.id;
    rows = await hostileRows(site.folder, proposal);
    const [link] = await site.links(1, taskId);
    visit = await site.open(link!);
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
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  test('makes a key with a backup and enrols, by keyboard alone', async () => {
    await heading('Become a data owner').waitFor();
    expect(page.url()).toBe(`${site.ownerUrl}#/enrol`);
    await expectFitForAnybody();
    await press(page, page.getByRole('button', { name: 'Trust this CSP' }));
    await press(page, page.getByRole('button', { name: 'Make the key and its backup' }));
    await expectFitForAnybody();
    const [backup] = await Promise.all([
      page.waitForEvent('download'),
      press(page, page.getByRole('button', { name: 'Save the backup file' })),
    ]);
    expect(backup.suggestedFilename()).toBe('eigenveil-owner-backup.age');
    await press(page, page.getByLabel('I have the file'), 'Space');
    await press(page, page.getByRole('button', { name: 'Go on' }));
    await heading(`Task ${MARKUP} ${taskId}`).waitFor();
  });

  test('refuses a task whose every text is hostile, and says why', async () => {
    await page.getByText('Your policy refuses this task').waitFor();
    await page.getByText('All that was agreed').click();
    await page.getByText(MARKUP.slice(0, 12)).first().waitFor();
    await expectFitForAnybody();
  });

  test.each([
    ['/', 'Your tasks'],
    ['/trust', 'Security'],
    ['/device', 'This device'],
    ['/nowhere', 'There is no such page'],
    ['/enrol', 'Enrol again'],
    ['/policy', 'Your policy'],
  ])('shows %s', async (place, name) => {
    await go(page, place);
    await heading(name).waitFor();
    await expectFitForAnybody();
  });

  test('takes the task once its policy allows it, contributes and reduces, by keyboard alone', async () => {
    await go(page, '/policy');
    await type(page, page.getByLabel('Shortest Paillier key, in bits'), '1024');
    const simulated = page.getByRole('checkbox', { name: /imulated/ });
    if (!(await simulated.isChecked())) await press(page, simulated, 'Space');
    await press(page, page.getByLabel('The whole scatter matrix may be revealed'), 'Space');
    await press(page, page.getByRole('button', { name: 'Save policy' }));
    await page.getByText('The policy is saved').waitFor();
    await go(page, `/tasks/${taskId}`);
    await page.getByText('Your policy allows this task').waitFor();
    // A picker of files belongs to the browser.
    await page.getByRole('button', { name: 'Your file of rows' }).setInputFiles(rows);
    await page.getByText('The beginning of your file').waitFor();
    await press(page, page.getByRole('button', { name: 'Read the file' }));
    await page.getByRole('button', { name: 'Encrypt and send' }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await press(page, page.getByRole('button', { name: 'Encrypt and send' }));
    await page.getByText('You have contributed').waitFor();
    await page.getByRole('definition').getByText(`${MARKUP} ${taskId}`).waitFor();
    await expectFitForAnybody();

    await contribute(site, taskId, [rows], []);
    await finish(site, taskId);
    await press(page, page.getByRole('button', { name: 'Get the result' }));
    await page.getByText('The result is checked').waitFor();
    await page.getByRole('button', { name: 'File of rows to reduce' }).setInputFiles(rows);
    await page.getByText('The beginning of your file').waitFor();
    await press(page, page.getByRole('button', { name: 'Reduce the rows' }));
    await page.getByRole('button', { name: 'Save the reduced rows' }).waitFor();
    await expectFitForAnybody();
    // The page knows the title by now, as the CSP has signed it.
    await go(page, '/');
    await page.getByRole('link', { name: `${MARKUP} ${taskId}` }).waitFor();
    await expectFitForAnybody();
  });
});
