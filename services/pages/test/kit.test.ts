/** The kit that the pages are tested with notices what it is for. */
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUnhurt, hostileProposal } from './support/hostile.ts';
import { tabTo, walk } from './support/keyboard.ts';
import { expectAccessible, expectFits } from './support/looks.ts';
import { Site } from './support/site.ts';
import { longTasks } from './support/watch.ts';

/** What an assertion that must fail has found. */
async function wrongOf(assertion: Promise<unknown>): Promise<string> {
  const error = await assertion.then(
    () => {
      throw new Error('nothing was wrong');
    },
    (reason: Error & { readonly actual?: unknown }) => reason,
  );
  return `${error.message} ${JSON.stringify(error.actual)}`;
}

describe.skipIf(browserMissing)('the kit', { tags: ['long'] }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start();
  });
  afterAll(() => site.close());

  test('opens the owners’ page, which does nothing that it must not', async () => {
    const { page } = await site.visit(site.ownerUrl);
    await page.locator('h1').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await walk(page);
  });

  test('complains of HTML, of other hosts, of errors and of what the policy forbids, and takes back what is pardoned', async () => {
    const { page, complaints, pardon } = await site.visit(site.ownerUrl);
    const causes: readonly [() => Promise<unknown>, RegExp][] = [
      [
        () =>
          page.evaluate(() => {
            document.body.innerHTML = '<b>x</b>';
          }),
        /^violates require-trusted-types-for/,
      ],
      [() => page.evaluate(() => fetch('https://127.0.0.1:1/x')), /^violates connect-src/],
      [
        () =>
          page.evaluate(() => {
            setTimeout(() => {
              throw new Error('thrown');
            });
          }),
        /^throws Error: thrown/,
      ],
      [() => page.evaluate(() => console.warn('said')), /^says said/],
      [() => page.evaluate(() => document.body.setAttribute('style', 'color: red')), /^violates style-src/],
      [() => page.goto('https://127.0.0.1:1/x'), /^asks another host: https:\/\/127.0.0.1:1\/x/],
    ];
    for (const [cause, complaint] of causes) {
      await cause().catch(() => {}); // as a page would that goes on
      await expect.poll(() => complaints).toContainEqual(expect.stringMatching(complaint));
    }
    pardon(/./);
    expect(() => pardon(/./)).toThrow('complaints like');
  });

  test('sees what axe-core finds, however little, what sticks out, is cut off, or hides the focus', async () => {
    const { page } = await site.visit(site.ownerUrl);
    await page.locator('h1').waitFor();
    const show = (text: string, style: Readonly<Record<string, string>>, name = 'button') =>
      page.evaluate(
        ([name, text, style]) => {
          const element = document.createElement(name);
          element.textContent = text;
          Object.assign(element.style, style);
          const heading = document.createElement('h1');
          heading.textContent = 'Kit';
          document.querySelector('main')!.replaceChildren(heading, element);
        },
        [name, text, style] as const,
      );
    await show('Send', {});
    await expectAccessible(page);
    await expectFits(page);
    expect(await walk(page)).toContain('<button> Send');
    await show('Send', { color: '#888', background: '#777' });
    expect(await wrongOf(expectAccessible(page))).toContain('color-contrast');
    await show('', {});
    expect(await wrongOf(expectAccessible(page))).toContain('button-name');
    await show('Below a heading that is left out', {}, 'h4');
    expect(await wrongOf(expectAccessible(page))).toContain('heading-order');
    await show('wide', { width: '400px' }, 'p');
    expect(await wrongOf(expectFits(page))).toContain('320 px wide');
    await show('a long line of text', { width: '50px', overflow: 'hidden', whiteSpace: 'nowrap' }, 'p');
    expect(await wrongOf(expectFits(page))).toContain('cut off');
    await show('Send', { outline: 'none' });
    expect(await wrongOf(walk(page))).toContain('nothing marks the focus');
    await show('Send', { position: 'absolute', left: '-999px' });
    expect(await wrongOf(tabTo(page, page.getByRole('button', { name: 'Send' })))).toContain(
      'outside of the window',
    );
  });

  test('measures how long a page answers nobody', async () => {
    const { page } = await site.visit(site.ownerUrl);
    await longTasks(page);
    await page.evaluate(() => {
      setTimeout(() => {
        const end = performance.now() + 120;
        while (performance.now() < end);
      });
    });
    await expect.poll(() => longTasks(page)).toContainEqual(expect.toSatisfy((it: number) => it >= 120));
  });

  test('has a task whose every text is hostile, and which services take', async () => {
    const proposal = hostileProposal();
    const { task } = await site.services.client.create(proposal);
    expect(task).toMatchObject({ features: proposal.features, labellings: proposal.labellings });
    const { page } = await site.visit(site.ownerUrl);
    await expectUnhurt(page);
    await page.evaluate(() => Object.assign(globalThis, { hurt: 1 }));
    await expect(expectUnhurt(page)).rejects.toThrow();
  });
});
