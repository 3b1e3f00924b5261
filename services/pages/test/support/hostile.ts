/** Text that would do harm where it is taken for anything but text, for every place that somebody else fills. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskProposal } from '@eigenveil/task';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Runs where it is taken for HTML. */
export const MARKUP = '<img src=x onerror="globalThis.hurt=1"><script>globalThis.hurt=1</script>';
/** From right to left: it may turn what stands beside it. */
export const RIGHT_TO_LEFT = 'אבג 123 <b>דהו</b> |';
/** As long as a name may be, and nowhere to break. */
export const LONG = 'W'.repeat(128);
/** What a server may send beside names of a task: it turns text around, and moves a terminal. */
export const CONTROLS = '\u202Eevil\u2066\u001B[31m\u0007';

/** A task in which every text is one of these. */
export function hostileProposal(changes: Readonly<Record<string, unknown>> = {}): TaskProposal {
  const name = (text: string, i: number) => `${i}${text}`.slice(0, 128);
  return TaskProposal.parse({
    title: MARKUP,
    method: { kind: 'lda', ridge: 1 },
    features: [MARKUP, RIGHT_TO_LEFT, LONG, MARKUP].map((text, i) => ({
      name: name(text, i),
      min: -1,
      max: 1,
      twoValued: false,
    })),
    labellings: [{ column: `${MARKUP} label`, classes: [MARKUP, RIGHT_TO_LEFT, LONG] }],
    components: 1,
    minimumOwners: 2,
    maximumOwners: 10,
    maximumSamplesPerOwner: 100,
    keyBits: 1024,
    allowInsecureKey: true,
    twoParty: 'simulated',
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    ...changes,
  });
}

/** A file of rows for such a task, as an owner may have it. */
export async function hostileRows(folder: string, { features, labellings }: TaskProposal): Promise<string> {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const [{ column, classes }] = labellings as [TaskProposal['labellings'][number]];
  const header = [...features.map(({ name }) => name), column].map(quoted);
  const rows = Array.from({ length: 12 }, (_, row) => [
    ...features.map((_feature, i) => Math.sin(7 * row + 3 * i).toFixed(3)),
    quoted(classes[row % classes.length]!),
  ]);
  const file = join(folder, 'hostile.csv');
  await writeFile(file, [header, ...rows].map((cells) => `${cells.join(',')}\n`).join(''));
  return file;
}

/** Nothing of the markup has become an element or has run. */
export async function expectUnhurt(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'hurt' in globalThis)).toBe(false);
  expect(await page.locator('img[src="x"], body script').count()).toBe(0);
}
