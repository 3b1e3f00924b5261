/**
 * The owner's page in a browser: from a link to reduced rows, and what must not happen on the way.
 *
 * @claims S-524, S-599
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { PrivateJwk } from '@eigenveil/wire';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unseal } from '../../src/owner/sealed-file.ts';
import { BrowserOwner, PASSPHRASE, saved } from '../support/browser-owner.ts';
import { expectUnhurt, hostileProposal } from '../support/hostile.ts';
import { press, tabTo, type, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { contribute, finish, irisProposal, irisTask, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';

/** The text of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '');

/** A heading that is on the first screen of a phone. */
async function expectOnPhone(page: Page, heading: string): Promise<void> {
  const before = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate(() => scrollTo(0, 0));
  const { y } = (await page.getByRole('heading', { name: heading, exact: true }).boundingBox())!;
  expect(y, `pixels above “${heading}”`).toBeLessThan(844);
  await page.setViewportSize(before);
}

describe.skipIf(browserMissing)('the owner’s page', { tags: ['long'] }, () => {
  let site: Site;
  let files: readonly string[];
  const newTask = (changes?: Readonly<Record<string, unknown>>) => irisTask(site, changes);

  beforeAll(async () => {
    site = await Site.start();
    files = await splitRows(site.folder, 3);
  });
  afterAll(() => site.close());

  test('goes from a link to reduced rows, and keeps its token out of the address', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    expect(new URL(page.url()).hash).toBe('#/enrol');
    await page.reload();
    await owner.enrol();
    await page.getByText('Your policy refuses this task').waitFor();
    await page.getByText('What would have to change in your policy').click();
    await page.getByText('“Shortest Paillier key, in bits”: 1024').waitFor();
    expect(await page.getByRole('button', { name: 'Read the file' }).count()).toBe(0);

    await owner.allow();
    await owner.show(task);
    await page.getByText('Your policy allows this task').waitFor();
    await page.getByText('NOT private').first().waitFor();
    await expectAccessible(page);
    await expectOnPhone(page, 'Contribute');
    await owner.read(files[0]!);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Do not send' }).click();
    await page.getByText('This was read. Send it?').waitFor({ state: 'detached' });
    expect((await site.services.client.status(task)).contributions).toBe(0);

    await owner.contribute(files[0]!);
    expect(await focused(page)).toContain('Your contribution is in');
    const receipt = await saved(page, 'Save the receipt');
    expect(receipt.split('.')).toHaveLength(3);
    await contribute(site, task, files.slice(1));
    await finish(site, task);
    await page.reload();
    await page.getByText('The result is ready: get it.').waitFor();
    for (const name of ['Read the file', 'Withdraw…'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await expectOnPhone(page, 'The result');
    // Without a line to the data user nobody knows whether there is a result.
    await owner.visit.context.route(`**/tasks/${task}`, (route) => route.abort());
    await page.getByRole('button', { name: 'Get the result' }).click();
    await page.getByText('No connection to the data user').waitFor();
    await owner.visit.context.unroute(`**/tasks/${task}`);
    owner.visit.pardon(/ERR_FAILED/);
    await page.getByText('3 owners took part, you among them').waitFor();
    expect(await page.locator('dt:text("Digest of the result") + dd .thumbprint span').count()).toBe(11);
    const projection = JSON.parse(await saved(page, 'Save the projection'));
    expect(projection).toMatchObject({ taskId: task, vectors: [expect.any(Array), expect.any(Array)] });
    expect(Object.keys(JSON.parse(await saved(page, 'Save all that was signed')))).toContain('provenance');

    await page.getByLabel('File of rows to reduce').last().setInputFiles(files[0]!);
    await page.getByLabel('label', { exact: true }).last().check();
    await page.getByRole('button', { name: 'Reduce the rows' }).click();
    await page.getByText('50 rows reduced').waitFor();
    const reduced = (await saved(page, 'Save the reduced rows')).trim().split('\n');
    expect([reduced[0], reduced.length]).toEqual(['label,component_1,component_2', 51]);
    await page.getByRole('img', { name: '50 reduced rows in 3 groups' }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test('sends the same bytes after the page was closed between keeping and sending', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site);
    await owner.enrol();
    await owner.allow();
    await owner.show(task);
    const kept = await owner.cutOff(task, files[0]!);
    const { owner: again, sent } = await owner.comeBack(task);
    // Other rows are refused, the same ones sent as they were kept.
    await again.read(files[1]!);
    await again.page.getByRole('button', { name: 'Encrypt and send' }).click();
    await again.page.getByText('ERR_CONTRIBUTION_PENDING').waitFor();
    await again.contribute(files[0]!);
    expect(sent).toEqual([kept]);
  });

  test('counts rows by the name that they are given, and takes the next task of a series', async () => {
    const [task, others] = [await newTask({ title: 'Petals, weekly' }), await newTask()];
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    await owner.enrol();
    await owner.allow({
      ...{ minimumKeyBits: 1024, twoParty: ['simulated'], allowFullRank: true },
      ...{ series: { most: 3, shortestIntervalHours: 0 }, answers: { rotated: 1, wholes: 2 } },
    });
    await owner.show(task);
    await page.getByLabel('Name of these rows').fill('no name');
    await page.getByText('expected up to 64 letters').waitFor();
    await page.getByLabel('Name of these rows').fill('iris');
    await owner.contribute(files[0]!);
    await page.getByRole('button', { name: 'Look for the next task' }).click();
    await page.getByText('No task renews this one yet').waitFor();

    await contribute(site, task, files.slice(1));
    await finish(site, task);
    const { task: renewal } = await site.services.client.renew(task);
    await owner.show(task);
    await page.getByRole('button', { name: 'Look for the next task' }).click();
    await page.getByRole('link', { name: `Petals, weekly ${renewal.id}` }).click();
    await page.getByText('Your policy allows this task').waitFor();
    await page.getByLabel('Name of these rows').fill('iris');
    await owner.contribute(files[0]!);
    expect((await site.services.client.status(renewal.id)).contributions).toBe(1);

    // What the policy gives of these rows is spent by both, and not of others.
    await owner.show(others);
    await page.getByText('Until now: iris.').waitFor();
    await page.getByText('Your policy allows this task, but not for the rows “iris”').waitFor();
    await page.getByLabel('Name of these rows').fill('iris');
    await page.getByLabel('Your file of rows').last().setInputFiles(files[0]!);
    await page.getByLabel('label', { exact: true }).check();
    await page.locator('.error', { hasText: /^The data set iris has given/ }).waitFor();
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByText('Fix these before your file is read').waitFor();
    await page.getByRole('link', { name: 'Name of these rows' }).click();
    await page.getByLabel('Name of these rows').fill('roses');
    await page.getByText('your rows “roses” can give').waitFor();
    await owner.contribute(files[1]!);
    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    const spent = (name: string) => page.getByRole('row', { name }).getByRole('cell').allInnerTexts();
    await expect.poll(() => spent('iris')).toEqual(['2 of 2', '0', '0', '0', '0 of 1']);
    expect(await spent('roses')).toEqual(['1 of 2', '1', '0', '0', '0 of 1']);
    expect(await page.getByLabel('Tasks of a series at most').inputValue()).toBe('3');
    await expectAccessible(page);
  });

  test('works in one tab at a time, and withdraws once it is confirmed', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site, task);
    await owner.enrol();
    await owner.allow();
    await owner.show(task);
    const { page } = owner;
    await owner.read(files[0]!);
    const tab = await owner.visit.context.newPage();
    await tab.goto(`${site.ownerUrl}#/tasks/${task}`);
    await tab.getByLabel('Your file of rows').last().setInputFiles(files[1]!);
    await tab.getByLabel('label', { exact: true }).check();
    await tab.getByRole('button', { name: 'Read the file' }).click();
    await tab.getByText('ERR_OWNER_BUSY').waitFor();
    await page.getByRole('button', { name: 'Encrypt and send' }).click();
    await page.getByText('You have contributed').waitFor();

    await page.getByRole('button', { name: 'Withdraw…' }).click();
    await page.getByRole('button', { name: 'Stay in' }).click();
    await page.getByRole('button', { name: 'Withdraw…' }).click();
    await page.getByRole('button', { name: 'Withdraw for good' }).click();
    await page.getByText('You have withdrawn from this task, for good').waitFor();
    await page.getByText('Data user and CSP have been told').waitFor();
    await page.getByText('asked at least').waitFor();
    for (const before of ['You have contributed', 'The result comes back to you', 'Withdraw…'])
      expect(await page.getByText(before).count(), before).toBe(0);
    expect(await page.getByRole('list', { name: 'Steps' }).count()).toBe(0);
    expect((await site.services.client.status(task)).contributions).toBe(0);
    await page.reload();
    await page.getByText('You have withdrawn from this task, for good').waitFor();
    expect(await page.getByRole('button', { name: 'Read the file' }).count()).toBe(0);
  });

  test('has all faults at their fields, with a link to each', async () => {
    const { page } = await BrowserOwner.come(site);
    await page.getByText('You need an invitation').waitFor();
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    await page.getByText('Fix these fields before going on').waitFor();
    const wrong = page.locator('[aria-invalid=true]');
    expect(await wrong.count()).toBe(3);
    expect(await focused(page)).toContain('Thumbprint of the CSP’s key');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Thumbprint of the CSP’s key' }).click();
    expect(await page.getByLabel('Thumbprint of the CSP’s key').evaluate((it) => it.matches(':focus'))).toBe(
      true,
    );

    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    await page.getByLabel('Owners at least').fill('1');
    await page.getByLabel('Largest ε', { exact: true }).fill('much');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Fix these fields before saving').waitFor();
    expect(await wrong.count()).toBe(2);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('link', { name: 'Largest ε' }).click();
    await page.keyboard.insertText('1');
    expect(await page.getByLabel('Largest ε', { exact: true }).inputValue()).toContain('1');
    await page.getByRole('button', { name: 'Strict' }).click();
    expect(await wrong.count()).toBe(0);
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('The policy is saved').waitFor();
  });

  test('says what to do with an invitation that was used', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site, task);
    const link = owner.link;
    await owner.enrol();
    const late = await site.visit(link);
    const { page } = late;
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    await page.getByRole('button', { name: 'Make the key without a backup' }).click();
    await page.getByRole('button', { name: 'Go back to the backup' }).click();
    await page.getByText('Passphrase of the backup').waitFor();
    await page.getByRole('button', { name: 'Make the key without a backup' }).click();
    await page.getByRole('button', { name: 'Make it without a backup' }).click();
    await page.getByText('ERR_ENROLMENT_TOKEN').waitFor();
    expect(await page.evaluate(() => document.activeElement!.getAttribute('role'))).toBe('status');
    late.pardon(/403/);
    await page.getByText('An invitation works once').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use another invitation' }).click();
    // It does not come back, here and after the page was loaded again.
    await page.getByText('You need an invitation').waitFor();
    await page.reload();
    await page.getByText('You need an invitation').waitFor();
    expect(await page.getByLabel('Token, or the whole link').inputValue()).toBe('');
  });

  test('allows one task alone what the policy refuses, lists its state, and removes it', async () => {
    const [task, other] = [await newTask(), await newTask()];
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    await owner.enrol();
    await page.getByRole('button', { name: 'Allow for this task only…' }).click();
    expect(await focused(page)).toBe('Allow this for this task only?');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow for this task', exact: true }).click();
    await page.getByText('Your policy allows this task').waitFor();
    await page.getByText('your rows “default” can give no result of this kind more').waitFor();
    await owner.contribute(files[0]!);
    await owner.show(other);
    await page.getByText('Your policy refuses this task').waitFor();

    await site.services.client.cancelTask(task);
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('cancelled: there is no result').waitFor();
    await page.getByText('open for contributions').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    const row = page.getByRole('row').filter({ hasText: task });
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 640 });
    for (const cell of [row.getByText('contributed, with a receipt'), row.getByRole('button')]) {
      const { x, width } = (await cell.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(320);
    }
    await page.setViewportSize(usual);
    await row.getByRole('button', { name: 'Remove…' }).click();
    await page.getByText('It does not ask for this one any more').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Remove from the list' }).click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toMatch(/^Task .* is not on the list any more\.$/);
    await expect.poll(() => asked).toContain(`/tasks/${other}/state`);
    expect(asked).not.toContain(`/tasks/${task}/state`);
    await owner.show(task);
    await page.getByText('You have contributed').waitFor();
    const withdraw = page.getByRole('button', { name: 'Withdraw…' });
    expect(await withdraw.count()).toBe(0);
    // The data user alone says that the task has ended: it could keep owners from the CSP by that.
    await page.getByText('If you doubt that the task has ended').click();
    await withdraw.click();
    await page.getByRole('button', { name: 'Withdraw for good' }).click();
    await page.getByText('The withdrawal is not confirmed').waitFor();
    // Both have refused, so that the owner takes part as before.
    await page.getByText('You have withdrawn from this task').waitFor({ state: 'detached' });
    owner.visit.pardon(/status of 409/);
  });

  test('refuses a task that was changed on the way, before it asks for a file', async () => {
    const signed = await site.services.client.create(await irisProposal());
    const owner = await BrowserOwner.arrive(site);
    await owner.enrol();
    await owner.allow();
    await owner.visit.context.route(`**/tasks/${signed.task.id}`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({
            json: { ...signed, task: { ...signed.task, minimumOwners: 3 } },
            headers: { 'access-control-allow-origin': new URL(site.ownerUrl).origin },
          })
        : route.continue(),
    );
    await owner.show(signed.task.id);
    await owner.page.getByText('ERR_AGREEMENT_INVALID').waitFor();
    expect(await owner.page.getByRole('button', { name: 'Read the file' }).count()).toBe(0);
  });

  test('moves to another device, and stops on this one first', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site, task);
    const backup = await owner.enrol();
    await owner.allow();
    await owner.show(task);
    await owner.contribute(files[0]!);
    const { page } = owner;
    await page.getByRole('link', { name: 'This device' }).click();
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(text),
    });
    await page.getByLabel('Backup file of your key').setInputFiles(file('backup.age', backup));
    await page.getByLabel('Passphrase of the backup').fill(`${PASSPHRASE}r`);
    await page.getByLabel('This device shall stop').check();
    const stop = page.getByRole('button', { name: 'Stop this device and make the transfer file' });
    await stop.click();
    await page.getByRole('link', { name: 'Passphrase of the backup' }).waitFor();
    await expect
      .poll(() => focused(page))
      .toMatch(/^The transfer file was not made.*The passphrase does not open the backup file/);
    expect(await page.getByText('This owner is on another device now').count()).toBe(0);
    await page.getByLabel('Passphrase of the backup').fill(PASSPHRASE);
    await stop.click();
    await page.getByText('This device has stopped, and the transfer file is not saved yet').waitFor();
    const transfer = await saved(page, 'Save the transfer file');
    expect(await page.getByText('This owner is on another device now').count()).toBe(0);
    await page.getByRole('button', { name: 'I have the transfer file' }).click();
    await page.getByText('This owner is on another device now').waitFor();
    await expectAccessible(page);
    await page.goto(`${site.ownerUrl}#/tasks/${task}`);
    await page.getByText('You have contributed').waitFor();
    expect(await page.getByRole('button', { name: 'Withdraw…' }).count()).toBe(0);

    const { page: there } = await BrowserOwner.come(site);
    await there.getByRole('link', { name: 'This device' }).click();
    await there.getByLabel('Backup file of the key').setInputFiles(file('backup.age', backup));
    await there.getByLabel('Transfer file', { exact: true }).setInputFiles(file('transfer.age', transfer));
    await there.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await there.getByRole('button', { name: 'Bring the owner here' }).click();
    await expect
      .poll(() => focused(there))
      .toMatch(/^The owner is on this device now.*Go on with your tasks/);
    await there.getByRole('link', { name: 'Tasks', exact: true }).click();
    await there.getByRole('link', { name: task }).click();
    await there.getByText('You have contributed').waitFor();
    await there.getByRole('button', { name: 'Withdraw…' }).waitFor();
  });

  test('shows text of others as text', async () => {
    const { task } = await site.services.client.create(hostileProposal());
    const owner = await BrowserOwner.arrive(site, task.id);
    await owner.enrol();
    await owner.page.getByText('What it reveals, and to whom').waitFor();
    for (const details of await owner.page.locator('details').all())
      await details.locator('> summary').click();
    await expectUnhurt(owner.page);
    await expectFits(owner.page);
    await expectAccessible(owner.page);
    await owner.page.goto(`${site.ownerUrl}#csp=<img src=x onerror=globalThis.hurt=1>&thumbprint=x`);
    await owner.page.getByText('The link is damaged').waitFor();
    await expectUnhurt(owner.page);
    expect(new URL(owner.page.url()).hash).toBe('#/enrol');
  });

  test('keeps the backup of a new key until somebody has it, wherever the person looks meanwhile', async () => {
    const { page } = await BrowserOwner.arrive(site);
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    const shown = page.locator('dt', { hasText: 'Passphrase of the backup' }).locator('+ dd');
    const passphrase = await shown.innerText();
    // What each frame shows that the browser draws.
    await page.evaluate(() => {
      const frames: (string | null)[] = [];
      const look = () => {
        frames.push(document.body.textContent);
        requestAnimationFrame(look);
      };
      look();
      Object.assign(window, { frames });
    });
    await page.getByRole('button', { name: 'Make the key and its backup' }).click();
    const save = page.getByRole('button', { name: 'Save the backup file' });
    await save.waitFor();
    const frames = await page.evaluate(() => (window as unknown as { frames: string[] }).frames);
    expect(frames.some((it) => it.includes('The backup is sealed: that takes a few seconds'))).toBe(true);
    // Back from another tab, where the passphrase was put.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('link', { name: 'This device' }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await save.waitFor();
    expect(await shown.innerText()).toBe(passphrase);
    const backup = await saved(page, 'Save the backup file');
    await expect(unseal('backup', backup, passphrase, PrivateJwk)).resolves.toMatchObject({ kty: 'OKP' });
    await page.getByLabel('I have the file, and the passphrase at another place').check();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Your tasks' }).waitFor();
  });

  test('does nothing in a frame of another page, though its host does not forbid it', async () => {
    const { context, page } = await site.visit(site.ownerUrl);
    await page.getByRole('heading', { name: 'Become a data owner' }).waitFor();
    const html = await readFile(join(site.folder, 'page', 'index.html'), 'utf8');
    await context.route(site.ownerUrl, (route) => route.fulfill({ contentType: 'text/html', body: html }));
    const other = `${site.services.dataUser.url}/frame`;
    await context.route(other, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${site.ownerUrl}"></iframe>` }),
    );
    await page.goto(other);
    const frame = page.frameLocator('iframe');
    await frame.getByText('This page does not work within another one').waitFor();
    expect(await frame.getByRole('button').count()).toBe(0);
  });

  test('is not led elsewhere by a page that has opened it', async () => {
    const { context, page } = await site.visit(site.ownerUrl);
    const other = `${site.services.dataUser.url}/opener`;
    await context.route(other, (route) => route.fulfill({ contentType: 'text/html', body: 'Opener' }));
    await page.goto(other);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((url) => void Object.assign(window, { opened: window.open(url) }), site.ownerUrl),
    ]);
    await opened.getByRole('heading', { name: 'Become a data owner' }).waitFor();
    // That page has no hand on it: for it, the window is gone.
    expect(await page.evaluate(() => (window as unknown as { opened: Window }).opened.closed)).toBe(true);
  });

  test('is used by keyboard alone', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    await walk(page);
    await press(page, page.getByRole('button', { name: 'Trust this CSP' }));
    await page.getByRole('button', { name: 'Make the key and its backup' }).waitFor();
    expect(await focused(page)).toContain('Make a key');
    await press(page, page.getByRole('button', { name: 'Make the key and its backup' }));
    await page.getByRole('button', { name: 'Save the backup file' }).waitFor();
    await press(page, page.getByLabel('I have the file, and the passphrase at another place'), 'Space');
    await press(page, page.getByRole('button', { name: 'Go on' }));
    await page.getByText('Your policy refuses this task').waitFor();
    await walk(page);
    await press(page, page.getByRole('link', { name: 'Policy', exact: true }));
    await type(page, page.getByLabel('Shortest Paillier key, in bits'), '1024');
    await press(page, page.getByLabel(/^simulated: NOT private/), 'Space');
    await press(page, page.getByLabel('The whole scatter matrix may be revealed'), 'Space');
    await press(page, page.getByRole('button', { name: 'Save policy' }));
    await page.getByText('The policy is saved').waitFor();
    await walk(page);
    await expectAccessible(page);
    for (const name of ['This device', 'Security', 'Tasks']) {
      await press(page, page.getByRole('link', { name, exact: true }));
      await page.getByRole('heading', { level: 1, name: name === 'Tasks' ? 'Your tasks' : name }).waitFor();
      await expectAccessible(page);
      await expectFits(page);
    }
    await press(page, page.getByRole('link', { name: task }));
    await tabTo(page, page.getByLabel('Your file of rows').last());
    await page.getByLabel('Your file of rows').last().setInputFiles(files[0]!); // the system's dialog is not the page's
    await press(page, page.getByLabel('label', { exact: true }), 'Space');
    await press(page, page.getByRole('button', { name: 'Read the file' }));
    await press(page, page.getByRole('button', { name: 'Encrypt and send' }));
    await page.getByText('You have contributed').waitFor();
  });
});
