/** The view of a result in a browser, of a task that has run: charts, tables, files, and rows that are dropped on it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Projector } from '@eigenveil/projection';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import type { TaskId } from '@eigenveil/task';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { go, signIn } from '../support/console.ts';
import { expectUnhurt, MARKUP } from '../support/hostile.ts';
import { press, tabTo, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { finishedTask, IRIS, irisProposal } from '../support/owners.ts';
import { Site } from '../support/site.ts';
import type { Visit } from '../support/visitors.ts';

describe.skipIf(browserMissing)("a task's result", { tags: ['long'] }, () => {
  let site: Site;
  let taskId: TaskId;
  beforeAll(async () => {
    site = await Site.start();
    const proposal = await irisProposal({ components: 3, allowFullRank: true });
    taskId = (await finishedTask(site, proposal)).task.id;
  });
  afterAll(() => site.close());

  async function opened(id = taskId): Promise<Visit> {
    const visit = await site.visit(`${site.consoleUrl}#/tasks/${id}/result`);
    await visit.page.getByLabel('Operator’s token').fill(site.operatorToken);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('heading', { name: 'Scree plot' }).waitFor();
    return visit;
  }
  const input = (page: Page) => page.getByLabel('Reduced rows').locator('input');
  /** How many colours are on a canvas, which is copied to be read. */
  const colours = (canvas: Locator) =>
    canvas.evaluate((element: HTMLCanvasElement) => {
      const { width, height } = element;
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
      copy.drawImage(element, 0, 0);
      return new Set(new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)).size;
    });

  test('shows what came out, by whom, and who vouches for it', async () => {
    const { page } = await opened();
    await page.getByText('3 owners, as the CSP has verified').waitFor();
    const { eigenvalues, trace, vectors, features } = await site.services.client.result(taskId);
    const scree = page.getByRole('table', { name: 'Eigenvalues by component' });
    await page.getByText('The figures as a table').first().click();
    for (const [j, value] of eigenvalues.entries()) {
      const cells = await scree
        .getByRole('row')
        .nth(j + 1)
        .getByRole('cell')
        .allTextContents();
      expect(cells.slice(0, 2)).toEqual([value.toPrecision(6), `${((100 * value) / trace!).toFixed(1)} %`]);
    }
    const heat = page.getByRole('table', { name: 'Loadings of 4 features in components 1 to 3' });
    for (const [i, { name }] of features.entries()) {
      const row = heat.getByRole('row', { name });
      expect(await row.getByRole('cell').allTextContents()).toEqual(
        vectors.map((vector) => vector[i]!.toFixed(3)),
      );
    }
    await page.getByText('this data user alone').waitFor();
    await page.getByText('Thumbprints and digests').click();
    expect(await page.getByText(site.services.csp.thumbprint).count()).toBe(1);
    expect(await colours(page.locator('canvas'))).toBeGreaterThan(3);
    await expectAccessible(page);
    await expectFits(page);
  });

  test('that is opened without a connection says so, and comes once there is one', async () => {
    const { page, context, pardon } = await site.visit(site.consoleUrl);
    await signIn(page, site.operatorToken);
    const place = `**/tasks/${taskId}/result`;
    await context.route(place, (route) => route.abort());
    await go(page, `/tasks/${taskId}/result`);
    await page.getByText('No connection to the data user. Retrying…').waitFor();
    expect(await page.getByText('There is no result to show').count()).toBe(0);
    await expectAccessible(page);
    await context.unroute(place);
    await page.getByRole('heading', { name: 'Scree plot' }).waitFor();
    expect(await page.getByText('Retrying…').count()).toBe(0);
    pardon(/ERR_FAILED/);
  });

  test('is saved as the command line saves it, and with all signatures as projectors load it', async () => {
    const { page } = await opened();
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        press(page, page.getByRole('button', { name })),
      ]);
      const path = join(site.folder, download.suggestedFilename());
      await download.saveAs(path);
      return path;
    };
    const plain = JSON.parse(await readFile(await save('Download the projection'), 'utf8'));
    const { projection, provenance } = await site.services.client.resultWithProvenance(taskId);
    expect(plain).toEqual({ ...projection, provenance });
    const projector = await Projector.load(
      await save('Download it with all signatures'),
      site.services.csp.thumbprint,
    );
    expect(projector.projection.vectors).toEqual(projection.vectors);
  });

  test('draws reduced rows by label, which leave the page never, and forgets them', async () => {
    const { page } = await opened();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const before = await colours(page.locator('canvas'));
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `${MARKUP.slice(0, 5)}${i % 3},${Math.sin(i) + (i % 3)},${Math.cos(i * i)},0`,
    );
    await input(page).setInputFiles({
      name: 'reduced.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`who,component_1,component_2,component_3\n${lines.join('\n')}\n`),
    });
    await page.getByText('100,000 reduced rows').waitFor();
    const groups = page.getByRole('table', { name: 'Points by colour' });
    expect(await groups.getByRole('row').count()).toBe(4);
    await expect.poll(() => colours(page.locator('canvas'))).toBeGreaterThan(before);
    expect(asked).toEqual([]);
    await expectUnhurt(page);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByLabel('Colour by').selectOption('nothing');
    await expect.poll(() => groups.getByRole('row').count()).toBe(2);
    await press(page, page.getByRole('button', { name: 'Remove these rows' }));
    await expect.poll(() => groups.count()).toBe(0);
  });

  test('refuses raw rows, and says why', async () => {
    const { page } = await opened();
    await input(page).setInputFiles(IRIS);
    await page.getByText('These are raw rows: they do not belong here').waitFor();
    await page.getByText('Let the owner reduce them where they are').waitFor();
    expect(await page.getByRole('table', { name: 'Points by colour' }).count()).toBe(0);
    await expectAccessible(page);
    await input(page).setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('a\n1\n') });
    await page.getByText('The file is not drawn').waitFor();
  });

  test('is gone through by keyboard alone', async () => {
    const { page } = await opened();
    await walk(page);
    for (const label of ['Order of the features', 'Figures in the cells', 'Along x', 'Show the arrows'])
      await tabTo(page, page.getByLabel(label, { exact: true }));
    await tabTo(page, input(page));
    await tabTo(page, page.getByRole('button', { name: 'Download the projection' }));
  });

  test('without a declared trace has no shares, and says why', async () => {
    const { task } = await finishedTask(site, await irisProposal({ outputs: [] }));
    const { page } = await opened(task.id);
    await page.getByText('No shares of the variance are shown.').waitFor();
    await page.getByText('not known: the task does not declare "sampleCount"').waitFor();
  });
});
