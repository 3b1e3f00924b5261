/** A whole task: a console for the data user's operator, owners by command line, a CSP; from its creation to reduced rows. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browserMissing } from '@eigenveil/report/in-browser';
import { TaskId } from '@eigenveil/task';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandOwner } from './support/command-owner.ts';
import { operator } from './support/console.ts';
import { irisProposal, splitRows } from './support/owners.ts';
import { Site } from './support/site.ts';

/** As many as the task takes. */
const OWNERS = 5;

function expectGood({ exitCode, stderr }: Finished): void {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}

describe.skipIf(browserMissing)('a whole task', { tags: ['long'] }, () => {
  let site: Site;
  let console: Page;
  let files: readonly string[];
  let owners: readonly CommandOwner[];
  let taskId: TaskId;

  beforeAll(async () => {
    site = await Site.start({ twoParty: 'garbled' });
    console = (await operator(site)).page;
    files = await splitRows(site.folder, OWNERS);
    const policy = join(site.folder, 'policy.json');
    await writeFile(policy, JSON.stringify({ minimumKeyBits: 2048 }));
    // One more than the task takes, with the rows of the last.
    owners = [...files, files.at(-1)!].map((file, i) => new CommandOwner(site, `owner-${i}`, file, policy));
  });
  afterAll(() => site.close());

  test('is created at the console', async () => {
    const proposal = await irisProposal({
      twoParty: 'garbled',
      keyBits: 2048,
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

  test('gets its contributions, each of which the console shows as it comes', async () => {
    const tokens = await site.invite(owners.length);
    for (const [i, owner] of owners.entries()) expectGood(await owner.enrol(tokens[i]!));
    for (const [i, owner] of owners.slice(0, OWNERS).entries()) {
      expectGood(await owner.contribute(taskId));
      await console.getByText(new RegExp(`^${i + 1} contributions?; `)).waitFor();
    }
  });

  test('refuses one contribution too many, and the console counts it with its reason', async () => {
    await console.getByText('No upload was refused.').waitFor();
    const { exitCode, stderr } = await owners.at(-1)!.contribute(taskId);
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

  test('has rows reduced', async () => {
    const out = join(site.folder, 'reduced.csv');
    expectGood(await owners[0]!.project(taskId, out));
    const reduced = (await readFile(out, 'utf8')).trim().split('\n');
    expect(reduced).toHaveLength((await readFile(files[0]!, 'utf8')).trim().split('\n').length);
  });
});
