/** The console speaks to people who have no command line: it names no flag, no command, no file of the documents. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { METHODS, type MethodName } from '@eigenveil/methods';
import { TaskProposal } from '@eigenveil/task/schema';
import { describe, expect, test } from 'vitest';
import { madeUpProposal } from '../../../../test/support/tasks.ts';
import { checkProposal } from '../../src/console/create/check-proposal.ts';
import { notesOnTask } from '../../src/console/draft/forecast.ts';
import { type Kind, type Member, membersOf } from '../../src/console/draft/members.ts';
import { flagMembers } from '../../src/console/draft/wanted.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
const OF_COMMANDS =
  /\beigenveil-(?:csp|owner|user)\b|(?<![\w-])--[a-z]|\btask draft\b|\bdocs\/|\.md\b|\bnpm\b/;

/** Everything that a form says of members, and of those within them. */
function* saidOf(members: readonly Member[]): Generator<string> {
  for (const { says, reveals, type } of members) {
    yield* [says, reveals];
    for (const within of membersWithin(type)) yield* saidOf(within);
  }
}

function membersWithin(type: Kind): readonly (readonly Member[])[] {
  if (type.kind === 'object' || type.kind === 'objects') return [type.members];
  return type.kind === 'variants' ? [...type.variants.values()] : [];
}

describe('no word of the command line', () => {
  test.each(globSync('{console,common,methods}/**/*.{ts,tsx}', { cwd: SOURCES }))(
    'is in %s',
    async (path) => {
      const source = await readFile(`${SOURCES}${path}`, 'utf8');
      const said = source
        .replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '') // comments are for us
        .replaceAll(/\bvar\(--/g, '');
      expect(said).not.toMatch(OF_COMMANDS);
    },
  );

  test('is in what the form says of members, of methods and of their flags', () => {
    const members = [...saidOf(membersOf(TaskProposal))];
    const methods = (Object.keys(METHODS) as MethodName[]).flatMap((method) => [
      METHODS[method].draft.purpose,
      ...saidOf(flagMembers(method)),
    ]);
    expect(members.length).toBeGreaterThan(60);
    expect([...members, ...methods].filter((text) => OF_COMMANDS.test(text))).toEqual([]);
  });

  test('is in what is wrong with a digest, and in a forecast', async () => {
    const proposal = madeUpProposal('pca', 1);
    const wrong = { ...proposal, basis: 'x', rangesFrom: 'x', sketch: { columns: 20, refine: 'x' } };
    const checked = checkProposal(JSON.stringify(wrong), new Date());
    const faults = checked.kind === 'faulty' ? checked.faults : [];
    expect(faults.map(({ path }) => path.join('.')).sort()).toEqual(['basis', 'rangesFrom', 'sketch.refine']);
    for (const { words } of faults) expect(words).not.toMatch(OF_COMMANDS);
    const notes = await notesOnTask({ ...proposal, twoParty: 'garbled' }, new AbortController().signal);
    expect(notes.join('\n')).toMatch(/^estimate: .* on a machine of 2 cores; /m);
    for (const note of notes) expect(note).not.toMatch(OF_COMMANDS);
  });
});
