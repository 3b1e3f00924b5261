/** The owner's page tells at its field what is missing, wrong or refused, in a sentence, with what comes next. */
import { readFile } from 'node:fs/promises';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { isErrorCode, titleOf } from '@eigenveil/wire/errors';
import { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toldOf } from '../../src/owner/refusals.ts';
import { BrowserOwner } from '../support/browser-owner.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { irisTask, splitRows } from '../support/owners.ts';
import { problemOf, problemText } from '../support/problems.ts';
import { Site } from '../support/site.ts';

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '');

describe.skipIf(browserMissing)('the owner’s page says', { tags: ['long'] }, () => {
  let site: Site;
  const newTask = () => irisTask(site);

  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site.close());

  test('where to go once the enrolment has expired, and nothing of what the service says', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site);
    const { page } = owner;
    await owner.enrol();
    await owner.visit.context.route(`**/tasks/${task}`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({
            status: 401,
            contentType: 'application/problem+json',
            headers: { 'access-control-allow-origin': new URL(site.ownerUrl).origin },
            body: problemText('ERR_TOKEN_EXPIRED', '"Authorization" expected a token that has not expired'),
          })
        : route.continue(),
    );
    await owner.show(task);
    await page.getByText('Your enrolment at the CSP has expired.').waitFor();
    owner.visit.pardon(/status of 401/);
    expect(await page.getByText('expected').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Enrol again' }).click();
    await page.getByRole('heading', { name: 'Enrol again' }).waitFor();
  });

  test('a sentence for every code of an owner’s routes', async () => {
    const { page } = await site.visit(site.consoleUrl);
    const { paths } = await page.evaluate(async () => (await fetch('/openapi.json')).json());
    const codes = Object.values(OWNER_ROUTES).flatMap(({ method, path }) =>
      Object.values<{ description: string }>(
        paths[path.replaceAll(/:(\w+)/g, '{$1}')][method].responses,
      ).flatMap(({ description }) => description.match(/ERR_\w+/g) ?? []),
    );
    expect(new Set(codes).size).toBeGreaterThan(20);
    for (const code of codes.filter(isErrorCode))
      expect(toldOf(problemOf(code)).says, code).not.toBe(`${titleOf(code)}.`);
  });

  test('that a link is damaged, and keeps what is whole of it', async () => {
    const task = await newTask();
    const { link } = await BrowserOwner.arrive(site, task);
    const { page } = await site.visit(link.slice(0, link.indexOf('&task=') + 10));
    await page.getByText('The link is damaged').waitFor();
    const { csp, dataUser } = site.services;
    expect(await page.getByLabel('Address of the CSP').inputValue()).toBe(csp.url);
    expect(await page.getByLabel('Thumbprint of the CSP’s key').inputValue()).toBe(csp.thumbprint);
    expect(await page.getByLabel('Address of the data user').inputValue()).toBe(dataUser.url);
    expect(await page.getByLabel('Task (optional)').inputValue()).toBe('');
    expect(await page.getByText('thumbprint":').count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('Token, or the whole link').fill(link.slice(link.indexOf('#'), -30));
    await page.getByText('Copy all of the link from your invitation.').waitFor();
    expect(await page.getByLabel('Task (optional)').inputValue()).toBe(task);
    await page.getByLabel('Token, or the whole link').fill(link);
    await page.getByText(`The data user at ${dataUser.url} asks you`).waitFor({ timeout: 5000 });
    expect(await page.getByText('The link is damaged').count()).toBe(0);
  });

  test('that a CSP has another key than the invitation says, and leads back to that', async () => {
    const owner = await BrowserOwner.come(site);
    const { page } = owner;
    const [link] = await site.links(1, await newTask());
    await page.goto(link!.replace(site.services.csp.thumbprint, 'A'.repeat(43)));
    await owner.makeKey();
    await page.getByText('has another key than the one that you were told').waitFor({ timeout: 30_000 });
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await page.getByText('An invitation works once').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to the invitation' }).click();
    await page.getByRole('heading', { name: 'Do you trust this CSP?' }).waitFor();
    owner.visit.pardon(/openapi\.json|ERR_FAILED/); // what the service calls itself is told to no page
  });

  test('what is missing where an owner is brought here, and forgets it with another file', async () => {
    const { page } = await BrowserOwner.come(site);
    await page.getByRole('link', { name: 'This device' }).click();
    const bring = page.getByRole('button', { name: 'Bring the owner here' });
    await bring.click();
    await expect.poll(() => focused(page)).toMatch(/^Nothing was brought here/);
    expect(await page.locator('[aria-invalid=true]').count()).toBe(3);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('link', { name: 'Passphrase' }).click();
    await page.keyboard.insertText('six words that do not belong');
    await page.getByLabel('The other device is lost').check();
    const file = (text: string) => ({ name: 'x.age', mimeType: '', buffer: Buffer.from(text) });
    const backup = page.getByLabel('Backup file of the key');
    await backup.setInputFiles(file('no backup'));
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await bring.click();
    await expect.poll(() => focused(page)).toMatch(/The backup file is none, or not all of it/);
    expect(await page.locator('[aria-invalid=true]').count()).toBe(1);
    await backup.setInputFiles(file('another one'));
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
  });

  test('which rules a file has filled in, and that they do not count yet', async () => {
    const { page } = await BrowserOwner.come(site);
    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    await page.getByText('The policy as a file').click();
    const choose = page.getByLabel('Take the rules from a file');
    const file = {
      name: 'ours.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"minimumOwners":7}'),
    };
    await choose.setInputFiles(file);
    await page.getByText(/The rules of ours\.json are filled in above\. They count once/).waitFor();
    expect(await page.getByLabel('Owners at least').inputValue()).toBe('7');
    await page.getByLabel('Owners at least').fill('8');
    expect(await page.getByText('They count once').count()).toBe(0);
    // Another view loses nothing of it.
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    await page.getByText('What you have changed here before is not saved yet').waitFor();
    expect(await page.getByLabel('Owners at least').inputValue()).toBe('8');
    await page.getByText('The policy as a file').click();
    await page.evaluate(() => {
      File.prototype.text = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
    });
    await choose.setInputFiles(file);
    await page.getByText('“ours.json” was changed, moved or locked since it was chosen').waitFor();
  });

  test('what keeps a file from being read, names a column without a name, and what a stop leaves', async () => {
    const task = await newTask();
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    await owner.enrol();
    await owner.allow();
    await owner.show(task);
    const read = page.getByRole('button', { name: 'Read the file' });
    await page.getByText('Your policy allows this task').waitFor();
    await page.getByLabel('Name of these rows').fill('');
    await read.click();
    await expect
      .poll(() => focused(page))
      .toMatch(/^Fix these .*Your file of rows: Choose a file.*Name of these rows: Expected up to/);
    await expectAccessible(page);
    await page.getByLabel('Name of these rows').fill('default');

    const [plain] = await splitRows(site.folder, 3);
    const lines = (await readFile(plain!, 'utf8')).trim().split('\n');
    const indexed = lines.map((line, i) => `${i === 0 ? '' : i},${line}\n`).join('');
    await page
      .getByLabel('Your file of rows')
      .last()
      .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(indexed) });
    await page.getByRole('rowheader', { name: 'Column 1 (no name)' }).waitFor();
    await expectAccessible(page);
    await read.click();
    await page.getByRole('link', { name: 'Columns to leave out' }).click();
    await page.keyboard.press('Space');
    expect(await page.getByLabel('Column 1 (no name)').isChecked()).toBe(true);
    await page.getByLabel('label', { exact: true }).check();

    await owner.visit.context.route(`**/tasks/${task}`, () => {}); // and no answer
    await read.click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Nothing was sent, and nothing is kept of it.').waitFor();
    await owner.visit.context.unroute(`**/tasks/${task}`);
    await read.click();
    await page.getByRole('button', { name: 'Encrypt and send' }).click();
    await page.getByText('You have contributed').waitFor();

    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    await page.getByRole('row', { name: 'default' }).waitFor();
    await page.getByText('Something was spent that is not counted here').click();
    await page.getByLabel('δ', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Count this, too' }).click();
    await expect.poll(() => focused(page)).toMatch(/^Fix these .*δ: Expected a number/);
    await expectAccessible(page);
    await expectFits(page);
  });
});
