/** The draft in a browser: a sample that stays there, the form and its JSON as one, errors at their members, the forecast, and on to creating. */
import { type Flags, METHODS, type MethodName, methodOf } from '@eigenveil/methods';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idAt } from '../../src/console/draft/form-faults.ts';
import { flagMembers } from '../../src/console/draft/wanted.ts';
import { expectUnhurt, MARKUP } from '../support/hostile.ts';
import { press, tabTo, walk } from '../support/keyboard.ts';
import { expectAccessible, expectFits } from '../support/looks.ts';
import { IRIS } from '../support/owners.ts';
import { Site } from '../support/site.ts';
import type { Visit } from '../support/visitors.ts';

/** Two columns of labels, and more features than the sketch of a draft has columns, none of which follows from others. */
const ROWS = `label,kind,${Array.from({ length: 16 }, (_, i) => `f${i}`).join(',')}
${Array.from({ length: 90 }, (_, row) =>
  [
    `c${row % 3}`,
    `k${row % 2}`,
    ...Array.from({ length: 16 }, (_, i) => Math.sin((row + 1) * (i + 2)).toFixed(3)),
  ].join(','),
).join('\n')}\n`;

describe.skipIf(browserMissing)('a draft', { tags: ['long'] }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site.close());

  async function opened(): Promise<Visit> {
    const visit = await site.visit(`${site.consoleUrl}#/draft`);
    await visit.page.getByLabel('Operator’s token').fill(site.operatorToken);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('heading', { name: 'Draft a task' }).waitFor();
    return visit;
  }
  const sample = (page: Page) => page.locator('input[type=file]');
  const json = (page: Page) => page.getByLabel('The proposal as JSON');
  const value = async (page: Page) => JSON.parse(await json(page).inputValue());
  const write = (page: Page) => press(page, page.getByRole('button', { name: 'Write the draft' }));

  test('of a sample goes to where tasks are created, by keyboard alone, and nothing is sent before', async () => {
    const { page } = await opened();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await expectAccessible(page);
    await sample(page).setInputFiles(IRIS);
    await page.getByText('150 rows and 5 columns.').waitFor();
    // A column named like labels is no feature of its own accord.
    await expect.poll(() => page.getByLabel('What column 5 is').inputValue()).toBe('out');
    await write(page);
    await page.getByText('The task is valid.').waitFor();
    // Who has written it is led to it.
    await expect
      .poll(() => page.evaluate(() => document.activeElement!.textContent))
      .toContain('2. The proposal');
    const drafted = await value(page);
    expect(drafted.features.map(({ name }: { name: string }) => name)).toHaveLength(4);
    expect(drafted).toMatchObject({
      method: { kind: 'pca' },
      components: 2,
      maximumOwners: 10,
      minimumOwners: 5,
    });
    await page.getByText(/^Each owner sends [\d.,]+ k?B, once\.$/).waitFor();
    await page.getByText(/^estimate: garbled takes about/).waitFor();
    expect(asked).toEqual([]);
    // All members of a feature are in sight beside the JSON.
    const table = page.getByRole('region', { name: 'features', exact: true });
    expect(await table.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
    await walk(page);
    await press(page, page.getByRole('button', { name: 'Go on to create it' }));
    await page.getByRole('heading', { name: 'Create a task' }).waitFor();
    await page.getByText('The task is valid.').waitFor();
    // The page repeats the warnings of the draft, and its forecast.
    await page.getByText(/^The ranges of 4 features of 4 are the least and the largest value/).waitFor();
    await page.getByText(/^estimate: garbled takes about/).waitFor();
    await page.getByRole('heading', { name: 'If rows are like the sample’s' }).waitFor();
    expect(asked).toEqual([]);
    await expectAccessible(page);
    await expectFits(page);
  });

  test('is one with its JSON, and says what is wrong at the member', async () => {
    const { page } = await opened();
    await sample(page).setInputFiles(IRIS);
    await write(page);
    const components = page.getByLabel('components', { exact: true });
    await components.fill('two');
    await expect.poll(async () => (await value(page)).components).toBe('two');
    await expect.poll(() => components.getAttribute('aria-invalid')).toBe('true');
    await page.locator('.field', { has: components }).getByText('expected a number, got a text').waitFor();
    await press(page, page.getByRole('button', { name: 'Go to components' }));
    expect(await components.evaluate((it) => it === document.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'Go on to create it' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await expectAccessible(page);
    await components.fill('1');
    await page.getByText('The task is valid.').waitFor();

    // A title takes the form that it must have while it is typed, and is left out where there is none.
    const title = page.getByLabel('title', { exact: true });
    await title.fill(' Gro\u0308ße ');
    await expect.poll(async () => (await value(page)).title).toBe('Größe');
    await title.fill('a\u200bb');
    await page.locator('.field', { has: title }).getByText('remove U+200B').waitFor();
    await title.fill(' ');
    await expect.poll(async () => 'title' in (await value(page))).toBe(false);
    await page.getByText('The task is valid.').waitFor();
    const changed = { ...(await value(page)), components: 2, encryption: 'djn' };
    await json(page).fill(JSON.stringify(changed));
    await expect.poll(() => components.inputValue()).toBe('2');
    expect(await page.getByLabel('encryption', { exact: true }).inputValue()).toBe('djn');
    await json(page).fill('{"components":');
    await page.getByText('The form comes back once the JSON is right again.').waitFor();
    await page.getByText('This is no JSON').waitFor();
    await json(page).fill(JSON.stringify({ ...changed, components: 5 }));
    await page.locator('.field', { has: components }).locator('.error').waitFor();
    await json(page).fill(JSON.stringify(changed));
    // Faults of cells stand at the cells, all of them at once.
    const [max, grain] = [page.getByLabel('max of features[0]'), page.getByLabel('grain of features[2]')];
    await max.fill('much');
    await grain.fill('-1');
    await expect.poll(() => grain.getAttribute('aria-invalid')).toBe('true');
    expect(await max.getAttribute('aria-invalid')).toBe('true');
    await press(page, page.getByRole('button', { name: 'Go to features[2].grain' }));
    expect(await grain.evaluate((it) => it === document.activeElement)).toBe(true);
    await expectAccessible(page);
    await grain.fill('0.1');
    await max.fill('8.5');
    await expect.poll(async () => (await value(page)).features[0].max).toBe(8.5);
    await page.getByLabel('trace').check();
    await expect.poll(async () => (await value(page)).outputs).toEqual(['trace']);
  });

  test('with differential privacy waits for consent, and forecasts noise by the sample', async () => {
    const { page } = await opened();
    await sample(page).setInputFiles(IRIS);
    await page.getByLabel('ε of differential privacy').fill('1');
    await write(page);
    await page
      .getByText(/^if rows are like the sample's, noise on their scatter has a norm of about/)
      .waitFor();
    await page.getByText(/^the clipping norm scales down \d+ % of the sample's rows$/).waitFor();
    await page.getByText(/^each server adds noise of deviation/).waitFor();
    const consent = page.getByLabel('I confirm that ranges and classes do not come from rows');
    const field = page.locator('.field', { has: consent });
    await field.getByText('Tick the box if ranges and classes do not come from rows').waitFor();
    await field.getByText(/those of 4 features of 4 are still the least and the largest value/).waitFor();
    await tabTo(page, consent);
    await page.keyboard.press('Space');
    await page.getByText('The task is valid.').waitFor();
    await page.getByLabel('With differentialPrivacy').uncheck();
    await expect.poll(async () => (await value(page)).differentialPrivacy).toBeNull();
  });

  test('of another method takes the labels of the sample', async () => {
    const { page } = await opened();
    await sample(page).setInputFiles(IRIS);
    await page.getByLabel('Method').selectOption('lda');
    expect(await page.getByLabel('What column 5 is').inputValue()).toBe('first');
    await page.getByLabel('What column 5 is').selectOption('left out');
    await page.getByText('One column has to be the labels, and none is.').waitFor();
    await page.getByLabel('Owners, at most').fill('one');
    await write(page);
    const problems = page.locator('.notice', { hasText: 'Problems to fix' });
    await problems.getByText('One column has to be the labels, and none is.').waitFor();
    await press(page, problems.getByRole('button', { name: 'Go to the owners' }));
    expect(await page.evaluate(() => document.activeElement!.getAttribute('aria-invalid'))).toBe('true');
    await expectAccessible(page);
    await page.getByLabel('Owners, at most').fill('10');
    await page.getByLabel('What column 5 is').selectOption('the labels');
    await write(page);
    const { method, labellings, components } = await value(page);
    expect(method).toEqual({ kind: 'lda', ridge: 1 });
    expect(labellings[0].classes).toHaveLength(3);
    expect(components).toBe(2);
    // Another method above is said beside the way on, and the next draft keeps the title.
    await page.getByLabel('title', { exact: true }).fill('Petals');
    await page.getByLabel('Method', { exact: true }).selectOption('pca');
    await page.getByText(/^This is still the draft of lda, and pca is chosen above/).waitFor();
    await write(page);
    await expect.poll(async () => (await value(page)).method.kind).toBe('pca');
    expect((await value(page)).title).toBe('Petals');
    expect(await page.getByText(/^This is still the draft/).count()).toBe(0);
  });

  test('of a histogram and of a regression goes to its end by the controls of each', async () => {
    const { page } = await opened();
    await sample(page).setInputFiles(IRIS);
    const method = page.getByLabel('Method', { exact: true });
    const end = async (name: string) => {
      await write(page);
      await expect.poll(async () => (await value(page)).method.kind).toBe(name);
      return value(page);
    };
    await method.selectOption('histogram');
    expect(await page.getByLabel('Components').count()).toBe(0);
    await page.getByLabel('height', { exact: true }).fill('1');
    await page
      .locator('.field', { has: page.getByLabel('height', { exact: true }) })
      .locator('.error')
      .waitFor();
    await page.getByLabel('height', { exact: true }).fill('6');
    await page.getByLabel('workload', { exact: true }).selectOption('counts');
    await page.getByLabel('ε of differential privacy').fill('');
    await page.getByText('This method needs an ε').waitFor();
    await page.getByLabel('ε of differential privacy').fill('2');
    await expectAccessible(page);
    expect(await end('histogram')).toMatchObject({
      ...{ method: { height: 6, strategy: 'flat' }, twoParty: 'linear', components: 0 },
      differentialPrivacy: { epsilon: 2, clippingNorm: null },
    });
    await page.getByLabel('dataIndependentRanges').check();
    await page.getByText('The task is valid.').waitFor();

    await method.selectOption('ridge');
    await page.getByText('One column has to be what is predicted, and none is.').waitFor();
    await page.getByLabel('What column 1 is').selectOption('what is predicted');
    await page.getByLabel('ridge', { exact: true }).first().fill('2');
    const { features, ...rest } = await end('ridge');
    expect(rest).toMatchObject({ method: { kind: 'ridge', ridge: 2 }, differentialPrivacy: null });
    expect(features.map(({ name }: { name: string }) => name)).toEqual([
      ...['sepal_width', 'petal_length', 'petal_width'],
      'sepal_length',
    ]);
    await page.getByText('The task is valid.').waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test('of every method goes to its end by the controls that its own object asks for', async () => {
    const { page } = await opened();
    const buffer = Buffer.from(ROWS);
    await sample(page).setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer });
    const role = (position: number) => page.getByLabel(`What column ${position} is`, { exact: true });
    for (const name of Object.keys(METHODS) as MethodName[]) {
      const { draft, isLinear, labellings } = METHODS[name];
      await page.getByLabel('Method', { exact: true }).selectOption(name);
      await page.getByText(`It ${draft.purpose}.`).waitFor();
      expect(await page.getByLabel('Components (optional)').count()).toBe(Number(draft.hasComponents));
      expect(await page.getByLabel('ε of differential privacy').count()).toBe(Number(draft.takesEpsilon));
      expect(await page.getByLabel('Two-party protocol').count()).toBe(Number(!isLinear));
      for (const [position, label] of ['first', 'second'].entries())
        expect(await role(position + 1).inputValue()).toBe(position < labellings ? label : 'out');
      const flags: Flags = draft.flags;
      for (const { name: flag } of flagMembers(name)) {
        const control = page.locator(`#${idAt(['wish', 'flags', flag])}`);
        expect(await control.inputValue(), `${flag} of ${name}`).toBe(String(flags[flag]!.default ?? ''));
      }
      if (Object.values(flags).some(({ names }) => names === 'target'))
        await role(6).selectOption('what is predicted');
      await page.getByRole('button', { name: 'Write the draft' }).click();
      await expect.poll(async () => methodOf(await value(page)).name).toBe(name);
      // The draft leaves this decision alone to the person.
      if (isLinear) await page.getByLabel('dataIndependentRanges').check();
      await page.getByText('The task is valid.').waitFor();
      // Both servers take it, with a key that is made at once.
      const short = { ...(await value(page)), keyBits: 1024, allowInsecureKey: true };
      const { task } = await site.services.client.create(short);
      expect(methodOf(task).name).toBe(name);
    }
    await press(page, page.getByRole('button', { name: 'Go on to create it' }));
    await page.getByRole('button', { name: 'Create the task' }).waitFor();
  });

  test('of names that are markup is text, and a wrong file is refused without being repeated', async () => {
    const { page } = await opened();
    await sample(page).setInputFiles({
      name: `${MARKUP}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(`"${MARKUP.replaceAll('"', '""')}",b,c\n1,2,3\n3,5,6\n2,2,1\n`),
    });
    await page.getByText('3 rows and 3 columns.').waitFor();
    await write(page);
    await page.getByText('The task is valid.').waitFor();
    await expectUnhurt(page);
    await expectFits(page);
    await sample(page).setInputFiles({
      name: 'x.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a;b\nxyzzy;2\n'),
    });
    await page.getByText('the header row is separated otherwise').waitFor();
    expect(await page.getByText('xyzzy').count()).toBe(0);
  });
});
