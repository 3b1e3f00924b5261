/**
 * A whole task: a console for the data user's operator, three owners in browsers and two by command line, a CSP; from its creation to rows that
 * are reduced the same by either.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { TaskId } from '@eigenveil/task';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from './support/console.ts';
import { CommandOwner, irisProposal, PageOwner, splitRows } from './support/owners.ts';
import { Site } from './support/site.ts';

/** As many as the task takes. */
const OWNERS = 5;
const IN_BROWSERS = 3;
const KEY_BITS = 2048;

function expectGood({ exitCode, stderr }: Finished): void {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}

describe.skipIf(browserMissing)('a whole task', { tags: ['long'] }, () => {
  let site: Site;
  let console: Page;
  let files: readonly string[];
  let inBrowsers: readonly PageOwner[];
  let byCommand: readonly CommandOwner[];
  let taskId: TaskId;

  beforeAll(async () => {
    site = await Site.start({ twoParty: 'garbled' });
    console = (await operator(site)).page;
    files = await splitRows(site.folder, OWNERS);
    const policy = join(site.folder, 'policy.json');
    await writeFile(policy, JSON.stringify({ minimumKeyBits: KEY_BITS, allowFullRank: true }));
    // One more than the task takes, with the rows of the first.
    byCommand = [...files.slice(IN_BROWSERS), files[0]!].map(
      (file, i) => new CommandOwner(site, `owner-${i}`, file, policy),
    );
  });
  afterAll(() => site.close());

  test('is created at the console', async () => {
    const proposal = await irisProposal({
      twoParty: 'garbled',
      keyBits: KEY_BITS,
      allowInsecureKey: false,
      minimumOwners: OWNERS - 1,
      maximumOwners: OWNERS,
    });
    await console.getByRole('link', { name: 'Create', exact: true }).click();
    await console.getByRole('textbox', { name: 'Task as JSON' }).fill(JSON.stringify(proposal));
    await console.getByRole('button', { name: 'Create the task' }).click();
    await console.getByText(`0 contributions; at least ${OWNERS - 1}, at most ${OWNERS}`).waitFor();
    taskId = TaskId.parse(new URL(console.url()).hash.split('/')[2]);
  });

  test('has its owners enrolled: by link in browsers, by token at the command line', async () => {
    const links = await site.links(IN_BROWSERS, taskId);
    inBrowsers = await Promise.all(links.map((link, i) => PageOwner.arrive(site, link, files[i]!)));
    for (const { page } of inBrowsers) {
      // The token is in the address no more, and neither in what comes back to it.
      expect(page.url()).toBe(`${site.ownerUrl}#/tasks/${taskId}`);
      expect(await page.evaluate(() => history.length)).toBe(3);
    }
    const tokens = await site.invite(byCommand.length);
    for (const [i, owner] of byCommand.entries()) expectGood(await owner.enrol(tokens[i]!));
  });

  test('gets its contributions, each of which the console shows as it comes', async () => {
    const contributions = [
      ...inBrowsers.map((owner) => async () => {
        await owner.allow(KEY_BITS);
        await owner.contribute();
      }),
      ...byCommand.slice(0, -1).map((owner) => async () => expectGood(await owner.contribute(taskId))),
    ];
    expect(contributions).toHaveLength(OWNERS);
    for (const [i, contribute] of contributions.entries()) {
      await contribute();
      await console.getByText(new RegExp(`^${i + 1} contributions?; `)).waitFor();
    }
  });

  test('refuses one contribution too many, and the console counts it with its reason', async () => {
    await console.getByText('No upload was refused.').waitFor();
    const { exitCode, stderr } = await byCommand.at(-1)!.contribute(taskId);
    expect(exitCode).not.toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'ERR_TASK_FULL' });
    const refused = console.getByRole('row').filter({ hasText: 'ERR_TASK_FULL' });
    await refused.waitFor();
    expect(await refused.getByRole('cell').first().innerText()).toBe('1');
    await console.getByText(`${OWNERS} contributions; `).waitFor();
  });

  test('is closed at the console, which shows the result once it is there', async () => {
    await console.getByRole('button', { name: 'Close…' }).click();
    await console.getByRole('button', { name: 'Close and compute' }).click();
    await console.getByRole('link', { name: 'See the result' }).click();
    await console
      .getByRole('heading', { name: /^Result/ })
      .first()
      .waitFor();
  });

  test('has rows reduced, in a browser as by command line, byte for byte', async () => {
    const [owner] = byCommand;
    for (const it of inBrowsers) {
      const out = join(site.folder, `reduced-${basename(it.file)}`);
      expectGood(await owner!.project(taskId, it.file, out));
      const reduced = await readFile(out, 'utf8');
      expect(await it.reduce()).toBe(reduced);
      const lines = (text: string) => text.trim().split('\n').length;
      expect(lines(reduced)).toBe(lines(await readFile(it.file, 'utf8')));
    }
  });
});
