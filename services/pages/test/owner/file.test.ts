/** The owner's file at the page: what it is said to be before it is sent, and what sending it says. */
import { readFile } from 'node:fs/promises';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserOwner, saved } from '../support/browser-owner.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { irisTask, splitRows } from '../support/owners.ts';
import { Site } from '../support/site.ts';

describe.skipIf(browserMissing)('the owner’s file', { tags: ['long'] }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site.close());

  test('is known for what it is, drawn as it was read, and sent with what happens in sight', async () => {
    const task = await irisTask(site, { maximumSamplesPerOwner: 60 });
    const owner = await BrowserOwner.arrive(site, task);
    const { page } = owner;
    await owner.enrol();
    await owner.allow();
    await owner.show(task);
    const [plain] = await splitRows(site.folder, 3);
    const text = await readFile(plain!, 'utf8');
    const [header, ...lines] = text.trim().split('\n');
    const choose = (content: string | Buffer) =>
      page
        .getByLabel('Your file of rows')
        .last()
        .setInputFiles({
          name: 'rows.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(content),
        });
    const read = page.getByRole('button', { name: 'Read the file' });
    const lacks = page.getByText(/: The file lacks \d columns? of the task/);

    await page.getByText('Your policy allows this task').waitFor();
    const template = await saved(page, 'Download a template');
    expect(template).toBe(`${header!.replace(',label', '')}\n`);

    await choose(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    await page.getByText('This file could not be read').waitFor();
    await page.getByText('a picture (PNG)').waitFor();
    await choose('x;y\n1;2\n');
    await page.getByText('This file has none of the columns of the task').waitFor();
    expect(await page.getByText('a picture (PNG)').count()).toBe(0);
    await read.click();
    await lacks.waitFor();
    await expectAccessible(page);
    await choose(text + lines.map((line) => `${line}\n`).join(''));
    await page.getByLabel('label', { exact: true }).check();
    await read.click();
    await page.getByText('This file does not fit the task').waitFor();
    await page.getByText('Your file has 100 rows; this task accepts at most 60 per owner').waitFor();
    await expectAccessible(page);

    // A German spreadsheet in which one column is called otherwise, one cell is empty, and one is far off.
    const german = [header!.replace('sepal_length', 'Sepal Length'), ...lines].map((line) =>
      line.replaceAll(',', ';').replaceAll('.', ','),
    );
    german[1] = german[1]!.replace(/^[^;]*/, '');
    german[2] = german[2]!.replace(/^[^;]*/, '99');
    await choose(`${german.join('\n')}\n`);
    await page.getByText('Separator: semicolon; Decimal mark: comma; Leave out rows with').waitFor();
    expect(await page.getByText('at most 60 per owner').count()).toBe(0);
    expect(await page.getByLabel('Your file of rows').last().inputValue()).toMatch(/rows\.csv$/);
    await read.click();
    await lacks.waitFor();
    const take = page.getByRole('button', { name: 'Take it for this one' });
    await take.click();
    await page.getByText('a feature: sepal_length').waitFor();
    expect(await lacks.count()).toBe(0);
    await page.getByRole('button', { name: 'Not this one' }).click();
    await take.click();
    await page.getByText('a feature: sepal_length').waitFor();
    // The button that was pressed is gone, and the focus is not.
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toMatch(/^Chosen.*rows\.csv/);
    await page.getByLabel('label', { exact: true }).check();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByText('File format').last().click();
    await page.getByLabel('Decimal mark').selectOption('point');
    await page.getByText('Separator: semicolon; Leave out').waitFor();
    await page.getByLabel('Decimal mark').selectOption('comma');
    await expectAccessible(page);
    await read.click();
    const picture = page.getByRole('dialog').getByRole('row', { name: 'sepal_length' });
    await picture.waitFor();
    expect(await picture.getByRole('cell').allInnerTexts()).toEqual(['1', '1', '']);
    await page.getByText('49 rows count, 1 left out').waitFor();
    await expectAccessible(page);
    await expectFits(page);

    const place = `**/tasks/${task}/contribution`;
    await owner.visit.context.route(place, (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Encrypt and send' }).click();
    await page.getByText('Step 3 of 3: sending to the data user').first().waitFor();
    await page.getByText('Connection lost. Retrying…').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await expect.poll(() => read.evaluate((it) => it === document.activeElement)).toBe(true);
    owner.visit.pardon(/ERR_FAILED/);
    await owner.visit.context.unroute(place);

    await read.click();
    await page.getByRole('button', { name: 'Encrypt and send' }).click();
    await page.getByText('You have contributed').waitFor();
    await expect.poll(focused).toContain('Your contribution is in');
    expect((await site.services.client.status(task)).contributions).toBe(1);
  });
});
