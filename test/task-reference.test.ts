/** The reference of a task proposal: its page and its JSON schema, which `vitest run task-reference -u` writes. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ProposalFile, type TaskProposal } from '@eigenveil/task';
import { format } from 'prettier';
import { beforeAll, describe, expect, test } from 'vitest';
import { fits } from './support/json-schema.ts';
import { membersOf, proposalSchema, referencePage } from './support/task-reference.ts';
import { madeUpProposal } from './support/tasks.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const PAGE = pathOf('../docs/tasks.md');
const SCHEMA = pathOf('../shared/task/proposal.schema.json');

const PRIVACY = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'owners',
  honestOwners: 1,
  dataIndependentRanges: true,
};

/** With every member that the method can have. */
const PROPOSALS: readonly [string, TaskProposal][] = [
  [
    'pca',
    madeUpProposal('pca', 2, [], {
      method: { kind: 'pca', scale: 'covariance' },
      outputs: ['mean'],
      differentialPrivacy: PRIVACY,
    }),
  ],
  ['dca', madeUpProposal('dca', 2, [2], { basis: 'b'.repeat(43) })],
  ['lda', madeUpProposal('lda', 1, [3])],
  ['mdr', madeUpProposal('mdr', 1, [2, 2])],
];

/** Of every type, at both ends of ranges and beyond. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, '', 'x', 'standard', 'correlation', '2031-01-01T00:00:00Z', '2031-02-30T00:00:00Z'],
  ...[-1e13, -1, 0, 0.01, 0.5, 1, 2, 40, 128, 200, 201, 2048, 2049, 4096, 4352, 1e6, 1e7, 1e9, 1e12, 1e13],
  ...[[], [1], ['mean'], ['mean', 'nothing'], {}, 'a'.repeat(129), 'two\nlines'],
];

/** The value with one of its members or items left out, put in the place of another value, or added. */
function* variants(value: unknown): Generator<unknown> {
  yield value;
  yield* VALUES;
  if (Array.isArray(value)) {
    yield [...value, ...value];
    for (const [i, item] of value.entries())
      for (const changed of variants(item)) yield value.toSpliced(i, 1, changed);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, $schema: 'file:///schema.json' };
    yield { ...value, unknown: 1 };
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...others }: Record<string, unknown> = { ...value };
      yield others;
      for (const changed of variants(member)) yield { ...value, [key]: changed };
    }
  }
}

test('the page is what the members say', async () => {
  await expect(referencePage()).toMatchFileSnapshot(PAGE);
});

test('the JSON schema is that of the parser', async () => {
  const text = await format(JSON.stringify(proposalSchema()), { parser: 'json', printWidth: 110 });
  await expect(text).toMatchFileSnapshot(SCHEMA);
});

describe('the files in the repository', () => {
  let page: string;
  let schema: ReturnType<typeof proposalSchema>;
  beforeAll(async () => {
    page = await readFile(PAGE, 'utf8');
    schema = JSON.parse(await readFile(SCHEMA, 'utf8'));
  });

  test('name every member, and say of each what it means and what it reveals', () => {
    const members = membersOf(schema);
    expect(members.map(({ name }) => name)).toEqual(membersOf(proposalSchema()).map(({ name }) => name));
    for (const { name, meaning, reveals } of members) {
      expect(page).toContain(`| \`${name}\``);
      expect({ name, meaning, reveals }).toEqual({
        name,
        meaning: expect.stringMatching(/^.{10,}$/),
        reveals: expect.stringMatching(/^.{5,}\.$/),
      });
    }
  });

  test.each(PROPOSALS)('take what the parser takes, and nothing else: %s', (_, proposal) => {
    let taken = 0;
    let refused = 0;
    for (const changed of variants(proposal)) {
      const { success, error } = ProposalFile.safeParse(changed);
      // Least above largest, a class twice: what ties values to each other no schema says.
      if (error?.issues.every(({ code }) => code === 'custom')) continue;
      expect({ changed, taken: fits(schema, changed) }).toEqual({ changed, taken: success });
      if (success) taken += 1;
      else refused += 1;
    }
    expect(taken).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(200);
  });
});
