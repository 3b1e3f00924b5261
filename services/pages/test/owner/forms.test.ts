import { OwnerPolicy } from '@eigenveil/data-owner/portable';
import { newTaskId, Thumbprint } from '@eigenveil/task';
import { type OwnerLink, ownerLink } from '@eigenveil/wire/owner-link';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { takeArrival } from '../../src/owner/arrival.ts';
import { draftOf, MEMBERS, policyOf } from '../../src/owner/policy-form.ts';
import { columnsOf, guessSeparator } from '../../src/owner/row-file.ts';
import { pageWords } from '../../src/owner/words.ts';

describe('the link that somebody comes by', () => {
  const link: OwnerLink = {
    csp: 'https://csp.example.org:8443',
    thumbprint: Thumbprint.parse('A'.repeat(43)),
    dataUser: 'https://user.example.org',
    task: newTaskId(),
    token: 'T'.repeat(43),
  };
  const at = (hash: string) => ({ hash, pathname: '/page/', search: '' });

  test('is taken out of the address, whole or damaged', () => {
    const { hash } = new URL(ownerLink('https://owner.example.org/page/', link));
    const replaceState = vi.fn<History['replaceState']>();
    expect(takeArrival(at(hash), { replaceState })).toEqual({ kind: 'link', link });
    expect(takeArrival(at(hash.slice(0, 40)), { replaceState })).toMatchObject({
      kind: 'refused',
      error: { code: 'ERR_BODY_INVALID' },
    });
    expect(replaceState.mock.calls).toEqual([
      [null, '', '/page/#/enrol'],
      [null, '', '/page/#/enrol'],
    ]);
  });

  test.each(['', '#', '#/', '#/tasks/x'])('is none where the page is at one of its places: %s', (hash) => {
    const replaceState = vi.fn<History['replaceState']>();
    expect(takeArrival(at(hash), { replaceState })).toBeNull();
    expect(replaceState).not.toHaveBeenCalled();
  });
});

describe('the policy as a form', () => {
  test('has a field for every member of the schema, and begins as the command line does', () => {
    const fields = MEMBERS.flatMap(({ fields: some }) => some.map(({ name }) => name));
    expect(fields.toSorted()).toEqual(Object.keys(OwnerPolicy.shape).toSorted());
    expect(policyOf(draftOf(OwnerPolicy.parse({})))).toEqual({ policy: OwnerPolicy.parse({}) });
  });

  test('is the policy that was filled in', () => {
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const numbers = fc.integer({ min: 2, max: 1e6 });
    const policies = fc.record({
      minimumOwners: numbers,
      minimumKeyBits: fc.integer({ min: 1024, max: 8192 }),
      twoParty: fc.subarray(['garbled', 'rotated', 'simulated'] as const),
      maximumComponents: optional(numbers),
      allowSpectrum: fc.boolean(),
      allowVariances: fc.boolean(),
      minimumClassRows: optional(numbers),
      allowFullRank: fc.boolean(),
      allowWithoutDifferentialPrivacy: fc.boolean(),
      maximumEpsilon: optional(fc.double({ min: 1e-9, max: 100, noNaN: true })),
      maximumDelta: optional(fc.double({ min: 1e-12, max: 1, noNaN: true })),
      neighbours: optional(fc.constantFrom('add-remove' as const, 'replace' as const)),
      noise: optional(fc.constantFrom('servers' as const, 'csp' as const, 'owners' as const)),
      colludingOwners: optional(fc.nat(1000)),
      totalEpsilon: optional(fc.double({ min: 1e-9, max: 100, noNaN: true })),
      totalDelta: optional(fc.double({ min: 1e-12, max: 0.5, noNaN: true })),
      answers: optional(fc.record({ rotated: fc.nat(1000), wholes: fc.nat(1000) })),
      ownFloor: fc.boolean(),
      grains: optional(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
          fc.oneof(fc.constant('cell' as const), fc.double({ min: 1e-9, max: 1e6, noNaN: true })),
        ),
      ),
      series: optional(
        fc.record({
          most: fc.integer({ min: 2, max: 10_000 }),
          shortestIntervalHours: fc.double({ min: 0, max: 100_000, noNaN: true }),
          totalEpsilon: optional(fc.double({ min: 1e-9, max: 100, noNaN: true })),
        }),
      ),
    });
    fc.assert(
      fc.property(policies, (some) => {
        const policy = OwnerPolicy.parse(JSON.parse(JSON.stringify(some)));
        expect(policyOf(draftOf(policy))).toEqual({ policy });
      }),
    );
  });

  test.each([
    ['minimumOwners', '1'],
    ['minimumOwners', ''],
    ['minimumKeyBits', '512'],
    ['maximumEpsilon', 'much'],
    ['maximumComponents', '1.5'],
    ['noise', 'nobody'],
  ])('is no policy, and says where: %s as %s', (name, value) => {
    const draft = { ...draftOf(OwnerPolicy.parse({})), [name]: value };
    const read = policyOf(draft);
    // What is left empty is as the schema has it.
    if (value === '') expect(read).toEqual({ policy: OwnerPolicy.parse({}) });
    else expect(read).toEqual({ problem: expect.stringContaining(name) });
  });
});

describe('a file that was chosen', () => {
  const file = (text: string, name = 'rows.csv') => new File([text], name);

  test('has the columns of its header, by the separator that gives most', async () => {
    await expect(columnsOf(file('a,"b,c",d\n1,2,3\n'))).resolves.toEqual(['a', 'b,c', 'd']);
    await expect(columnsOf(file('a;b\n1,5;2,5\n'), 'semicolon')).resolves.toEqual(['a', 'b']);
    await expect(columnsOf(file(''))).resolves.toEqual([]);
    await expect(guessSeparator(file('a;b\n1,5;2,5\n'))).resolves.toBe('semicolon');
    await expect(guessSeparator(file('a\tb\tc,d\n'))).resolves.toBe('tab');
    await expect(guessSeparator(file('only\n1\n'))).resolves.toBe('comma');
  });

  test('is read no further than its header', async () => {
    const large = file(`a,b\n${'1,2\n'.repeat(1e6)}`);
    const slice = vi.spyOn(large, 'slice');
    await expect(columnsOf(large)).resolves.toEqual(['a', 'b']);
    expect(slice).toHaveBeenCalledExactlyOnceWith(0, 1 << 20);
  });
});

test('messages of the command line name fields of the page', () => {
  for (const message of [
    'row 1 (line 2), column "x": expected a finite decimal number, got one with blanks around it, which --trim passes over',
    'one with a comma, which --decimal comma takes for its fraction',
    'an empty cell: --missing skip leaves such rows out',
    'names seem to be separated otherwise: give --separator semicolon',
    'a quoted cell ends before a separator, see --separator',
    'one that is written as another number, which --numeric-labels takes',
    'give its rows again, withdraw, or give it up with --discard-pending',
    'what the data set a has spent is not known, since entries of the ledger were lost: say it with "eigenveil-owner budget set --dataset a"',
    'What the lost entries have spent is not known: say it for each data set with "eigenveil-owner budget set"',
    'rows none of which was used are another --dataset',
    'not enrolled yet: run "eigenveil-owner enrol" first',
    '"differentialPrivacy" expected null, since this state is in memory: after a restart the same rows could be contributed once more, with other noise, and the guarantee would not hold; keep the state in a folder (OwnerHome)',
  ])
    expect(pageWords(message)).not.toMatch(/--|eigenveil-owner|OwnerHome|in memory/);
});
