/**
 * What every method is to every party, by every protocol that computes it, as the files of method-goldens have it: a change of how
 * methods are written must not change any of these. After a change that means to, write them again with
 * `npx vitest run test/method-goldens.test.ts -u`, and look at what differs.
 *
 * Garbled programs on more statistics are kept in shared/two-party/test/programs/recorded.json, more runs of `rotated` in
 * shared/two-party/test/rotated/golden.test.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '@eigenveil/task';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  METHODS,
  type MethodOfCase,
  PROTOCOLS,
  proposalOf,
  RELEASES,
  taskOf,
} from './support/method-goldens/cases.ts';
import { agreedOf, computedOf } from './support/method-goldens/computed.ts';
import { DRAFTS, toldOfDraft, writeSamples } from './support/method-goldens/drafts.ts';
import { notesOfProposal, reducedBy, toldOfResult, toldToOwner } from './support/method-goldens/told.ts';
import { refusalOf, refusalOfWrong, WRONG_TASKS } from './support/method-goldens/wrong-tasks.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-goldens-'));
  await writeSamples(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CASES = (Object.keys(METHODS) as MethodOfCase[]).flatMap((method) =>
  PROTOCOLS.flatMap((protocol) =>
    RELEASES.map((release) => ({
      title: `${method} by ${protocol} with ${release}`,
      refusal: refusalOf(proposalOf(method, protocol, release)),
      task: () => taskOf(method, protocol, release),
    })),
  ),
);
const COMPUTABLE = CASES.filter(({ refusal }) => refusal === undefined).map(({ title, task }) => ({
  title,
  task: task(),
}));

/**
 * By `simulated` and `linear` everything costs next to nothing. Of what else is computed, and of drafts and proposals, whose notes count
 * gates, `npm test` has one of each kind.
 */
const SOME: ReadonlySet<string> = new Set([
  'lda by garbled with a floor',
  'ridge by garbled with a floor',
  'ridge by garbled with nothing',
  'dca by rotated with a floor',
]);
const isCheap = ({ title, task }: { readonly title: string; readonly task: Task }) =>
  task.twoParty === 'simulated' || task.twoParty === 'linear' || SOME.has(title);
const PARTS = [
  ['some', true],
  ['others', false],
] as const;

/** As text of JSON, a value a line. */
const expectJson = (name: string, value: unknown) =>
  expect(`${JSON.stringify(value, null, 2)}\n`).toMatchFileSnapshot(`method-goldens/${name}.json`);
const expectTexts = (name: string, texts: readonly (readonly [title: string, text: string])[]) =>
  expect(texts.map(([title, text]) => `## ${title}\n${text.trimEnd()}\n`).join('\n')).toMatchFileSnapshot(
    `method-goldens/${name}.txt`,
  );

async function textsOf<Case extends { readonly title: string }>(
  cases: readonly Case[],
  tell: (one: Case) => Promise<string>,
): Promise<[string, string][]> {
  const texts: [string, string][] = [];
  for (const one of cases) texts.push([one.title, await tell(one)]);
  return texts;
}

test('what parties agree on by the task alone', async () => {
  await expectJson(
    'agreed',
    Object.fromEntries(COMPUTABLE.map(({ title, task }) => [title, agreedOf(task)])),
  );
});

test('what is refused', async () => {
  await expectTexts('refusals', [
    ...Object.entries(WRONG_TASKS).map(([title, wrong]) => [title, refusalOfWrong(wrong)] as const),
    ...CASES.flatMap(({ title, refusal }) => (refusal === undefined ? [] : [[title, refusal] as const])),
  ]);
});

test('what an owner is told of a task', async () => {
  await expectTexts('owners', await textsOf(COMPUTABLE, ({ task }) => toldToOwner(folder, task)));
});

describe.each(PARTS)('%s', (part, cheap) => {
  const tags = cheap ? [] : ['long'];
  const cases = COMPUTABLE.filter((one) => isCheap(one) === cheap);

  test('what is drafted', { tags }, async () => {
    const drafts = Object.entries(DRAFTS)
      .map(([title, draft]) => ({ title, draft }))
      .filter(({ draft }) => (draft.quick === true) === cheap);
    await expectTexts(`drafts-${part}`, await textsOf(drafts, ({ draft }) => toldOfDraft(folder, draft)));
  });

  test('what the data user is told of a proposal', { tags }, async () => {
    await expectTexts(`proposals-${part}`, await textsOf(cases, ({ task }) => notesOfProposal(folder, task)));
  });

  test('what is computed, and what is told of the result', { tags }, async () => {
    const digests: Record<string, unknown> = {};
    const texts = await textsOf(cases, async ({ title, task }) => {
      const { result, verifiedOwners, digests: of } = await computedOf(task);
      digests[title] = of;
      const told = await toldOfResult(folder, task, result, verifiedOwners);
      const rows = task.sketch ? 'wide.csv' : 'few.csv';
      return `${told}\n\n${await reducedBy(folder, task, result, verifiedOwners, rows)}`;
    });
    await expectJson(`computed-${part}`, digests);
    await expectTexts(`results-${part}`, texts);
  });
});
