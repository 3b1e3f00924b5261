import { brokenRules, OwnerPolicy } from '@eigenveil/data-owner/portable';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { TwoPartyName } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { type ProposedForm, STATISTICS_CODES } from '@eigenveil/statistics/owner';
import { newTaskId, Task, Thumbprint } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire/errors';
import { type OwnerLink, ownerLink } from '@eigenveil/wire/owner-link';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DEVICE_CODES } from '../../src/owner/codes.ts';
import { forgetInvitation } from '../../src/owner/invitation.ts';
import { look } from '../../src/owner/jobs.ts';
import { policyOfFile } from '../../src/owner/policy-file.ts';
import { draftOf, MEMBERS, PRESETS, policyOf } from '../../src/owner/policy-form.ts';
import { problemTitle } from '../../src/owner/problems.ts';
import { keptArrival, takeArrival } from '../../src/owner/routes.ts';
import {
  columnsTitle,
  fileFaults,
  formInWords,
  nextForm,
  otherColumns,
  type RowFile,
  withColumn,
  withoutColumn,
} from '../../src/owner/row-file.ts';
import { FILE_LABELS, pageWords } from '../../src/owner/words.ts';
import { hostileProposal } from '../support/hostile.ts';
import { countsProposal, irisProposal, TEST_POLICY } from '../support/owners.ts';

describe('the link that somebody comes by', () => {
  const link: OwnerLink = {
    csp: 'https://csp.example.org:8443',
    thumbprint: Thumbprint.parse('A'.repeat(43)),
    dataUser: 'https://user.example.org',
    task: newTaskId(),
    token: 'T'.repeat(43),
  };
  const at = (hash: string) => ({ hash, pathname: '/page/', search: '' });

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test('is kept in its tab until it is used, where the browser keeps anything', () => {
    const kept = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => kept.set(name, text),
      removeItem: (name: string) => kept.delete(name),
    });
    const { hash } = new URL(ownerLink('https://owner.example.org/page/', link));
    const history = { replaceState: vi.fn<History['replaceState']>() };
    expect(keptArrival()).toBeNull();
    takeArrival(at(hash), history);
    expect(takeArrival(at('#/enrol'), history)).toBeNull();
    expect(keptArrival()).toEqual({ kind: 'link', link });
    forgetInvitation();
    expect([keptArrival(), ...kept.values()]).toEqual([null]);
    takeArrival(at(hash), history);
    for (const name of kept.keys()) kept.set(name, '{"csp":"http://nobody"}');
    expect(keptArrival()).toBeNull();

    // A full storage: the page goes on with what it has, and keeps no older invitation.
    vi.stubGlobal('sessionStorage', {
      removeItem: (name: string) => kept.delete(name),
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    });
    expect(takeArrival(at(hash), history)).toEqual({ kind: 'link', link });
    expect(kept.size).toBe(0);

    vi.stubGlobal('sessionStorage', undefined);
    expect(takeArrival(at(hash), history)).toEqual({ kind: 'link', link });
    expect(keptArrival()).toBeNull();
  });

  test('is taken out of the address, whole or damaged', () => {
    const { hash } = new URL(ownerLink('https://owner.example.org/page/', link));
    const replaceState = vi.fn<History['replaceState']>();
    expect(takeArrival(at(hash), { replaceState })).toEqual({ kind: 'link', link });
    const { token: _, task: __, ...whole } = link;
    expect(takeArrival(at(hash.slice(0, hash.indexOf('&task=') + 10)), { replaceState })).toEqual({
      kind: 'refused',
      link: whole,
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

  test('has a box for every two-party protocol', () => {
    const fields = MEMBERS.flatMap((it) => it.fields);
    const boxes = fields.flatMap((it) => (it.kind === 'several' ? it.options.map(([value]) => value) : []));
    expect(boxes.toSorted()).toEqual(TwoPartyName.options.toSorted());
  });

  test('is the policy that was filled in', () => {
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const numbers = fc.integer({ min: 2, max: 1e6 });
    const policies = fc.record({
      minimumOwners: numbers,
      minimumKeyBits: fc.integer({ min: 1024, max: 8192 }),
      twoParty: fc.subarray(TwoPartyName.options),
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

  test('takes the tasks of the browser tests with what they fill in, and with no less', async () => {
    for (const [proposal, members] of [
      [await irisProposal(), ['minimumKeyBits', 'twoParty', 'allowFullRank']],
      [hostileProposal(), ['minimumKeyBits', 'twoParty', 'allowFullRank']],
      [await countsProposal(), ['minimumKeyBits', 'twoParty']],
    ] as const) {
      const parties = { csp: 'c'.repeat(43), dataUser: 'd'.repeat(43), protocol: 'eigenveil/1' };
      const asked = Task.parse({ ...proposal, ...parties, id: newTaskId() });
      expect(brokenRules(OwnerPolicy.parse(TEST_POLICY), asked)).toEqual([]);
      const broken = brokenRules(OwnerPolicy.parse({}), asked);
      expect(broken.flatMap(({ change }) => Object.keys(change))).toEqual(members);
    }
  });

  test('takes what is left empty as the schema has it', () => {
    const draft = { ...draftOf(OwnerPolicy.parse({})), minimumOwners: '' };
    expect(policyOf(draft)).toEqual({ policy: OwnerPolicy.parse({}) });
  });

  test('has every fault at its field, in the words of the page, all at once', () => {
    const draft = {
      ...draftOf(OwnerPolicy.parse({})),
      ...{ minimumOwners: '1', minimumKeyBits: '512', maximumComponents: '1.5' },
      ...{ maximumEpsilon: 'much', noise: 'nobody', grains: ['weight', '0.1', 'smoker', 'often'] },
      ...{ totalEpsilon: '1,5', answers: ['many', '-1'], series: ['', '5', ''] },
    };
    const read = policyOf(draft);
    const faults = 'faults' in read ? read.faults : [];
    expect(faults.map(({ member, place, words }) => [member, place, words])).toEqual([
      ['minimumOwners', null, 'Expected at least 2'],
      ['minimumKeyBits', null, 'Expected at least 1024'],
      ['maximumComponents', null, 'Expected a whole number, got a fraction'],
      ['maximumEpsilon', null, 'Expected a number'],
      ['noise', null, expect.stringContaining('Expected one of')],
      ['totalEpsilon', null, 'Expected a number with a point: 1.5'],
      ['answers', 0, 'Expected a number'],
      ['answers', 1, 'Expected at least 0'],
      ['grains', 3, 'Expected a number above 0, or “cell”'],
      ['series', 0, 'Expected a number, or all of these empty'],
    ]);
  });

  test('tells what is wrong with a file of one by the fields', () => {
    const told = (content: unknown) => {
      const held = policyOfFile(typeof content === 'string' ? content : JSON.stringify(content));
      return 'faults' in held ? held.faults : held.policy;
    };
    expect(told({ minimumOwners: 3 })).toEqual(OwnerPolicy.parse({ minimumOwners: 3 }));
    expect(told('minimumOwners: 3')).toEqual([expect.stringMatching(/^This file is something else/)]);
    expect(
      told({
        ...{ minimumOwners: 1, allowSpectrum: 'yes', twoParty: ['garbled', 'mine'], answers: { wholes: -1 } },
        ...{
          series: { most: 3, shortestIntervalHours: 1, least: 1 },
          grains: { weight: 'often' },
          epsilon: 1,
        },
      }),
    ).toEqual([
      '“Owners at least”: expected at least 2',
      '“Two-party protocols that you trust”: expected one of "garbled", "rotated", "linear", "simulated"',
      '“All eigenvalues may be revealed”: expected true or false, got a text',
      '“least” is no rule of “A series of tasks over nearly the same rows”',
      '“What one data set may give”, “Wholes of all tasks together, at most”: expected at least 0',
      '“How far apart your values lie”, “weight”: expected a number above 0, or “cell”',
      '“epsilon” is no rule of a policy',
    ]);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`rule${i}`, 1]));
    expect(told(many)).toHaveLength(21);
  });

  test('begins with rules that are as strict as they say', () => {
    const plain = madeUpTask('pca', 3, { components: 1, outputs: [], twoParty: 'garbled' });
    const rules = ({ policy }: (typeof PRESETS)['strict']) =>
      brokenRules(policy, plain).flatMap(({ change }) => Object.keys(change));
    expect(rules(PRESETS.usual)).toEqual([]);
    expect(rules(PRESETS.strict)).toContain('allowWithoutDifferentialPrivacy');
  });
});

describe('a file that was chosen', () => {
  const columns = {
    features: ['age', 'dose'].map((name) => ({ name, min: 0, max: 100 })),
    labellings: [{ column: 'label', classes: ['a', 'b'] }],
  };
  /** Looks at a file as the page does, as proposed or in a form. */
  async function looked(text: string | Uint8Array<ArrayBuffer>, form: ProposedForm | null = null) {
    const file = new File([text], 'rows.csv');
    const job = { kind: 'look', file, name: file.name, columns, countsUnreadable: false, form } as const;
    return { file, ...(await look(job)) };
  }

  const faultsOf = (rows: RowFile | null) => fileFaults('id', 'label', rows).map(({ words }) => words);

  test('is read in a form that is proposed from it, and shows its first rows', async () => {
    const rows = await looked('age;Dose;id;label;\n1,5;NA;x;a;\n2;3;y;b;\n4;5;z;a;\n6;7;w;a;\n');
    expect(formInWords(rows.form)).toEqual([
      `${FILE_LABELS.separator}: semicolon`,
      `${FILE_LABELS.decimal}: comma`,
      FILE_LABELS.missing,
    ]);
    expect(rows.firstRows).toEqual([
      ['1,5', 'NA', 'x', 'a', ''],
      ['2', '3', 'y', 'b', ''],
      ['4', '5', 'z', 'a', ''],
    ]);
    expect(faultsOf(rows)).toEqual(['The file lacks 1 column of the task']);
    // One press takes the column that is nearly called so.
    expect(rows.matches).toContainEqual({ name: 'dose', near: 1 });
    const taken = await looked('age;Dose;id;label;\n1,5;NA;x;a;\n', withColumn(rows, 1, 'dose'));
    expect(faultsOf(taken)).toEqual([]);
    expect(withoutColumn(taken, 'dose').columns).toBeUndefined();
    expect(otherColumns(taken).map((name) => columnsTitle(taken, name))).toEqual([
      'id',
      'Column 5 (no name)',
    ]);
    // It is forgotten with a form in which there may be no such column.
    expect(nextForm(taken.form, { ...taken.form, decimal: 'point' }).columns).toEqual(['Dose=dose']);
    expect(nextForm(taken.form, { ...taken.form, separator: 'tab' }).columns).toBeUndefined();
  });

  test('has columns without a name, which are named by their numbers', async () => {
    const rows = await looked(',age,dose,label, ,\n1,2,3,a,4,\n');
    expect(otherColumns(rows).map((name) => columnsTitle(rows, name))).toEqual([
      'Column 1 (no name) and 1 more without one',
      'Column 5 (no name)',
    ]);
  });

  test('has columns taken whose names an equals sign or another one hides', async () => {
    const text = 'a=b,dup,dup,label\n1,2,3,a\n';
    const rows = await looked(text);
    for (const [place, told] of [
      [0, '#1=age'],
      [2, '#3=age'],
    ] as const) {
      const form = withColumn(rows, place, 'age');
      expect(form.columns).toEqual([told]);
      expect((await looked(text, form)).matches[0]).toEqual({ name: 'age', place });
    }
  });

  test.each<[string, string | Uint8Array<ArrayBuffer>, string, RegExp]>([
    ['an empty one', '', 'This file could not be read', /^the file is empty$/],
    [
      'a picture',
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82),
      'This file could not be read',
      /^this is no CSV, but a picture \(PNG\)$/,
    ],
  ])('is refused at once if it is %s', async (_, text, title, words) => {
    const error: unknown = await looked(text).catch((it: unknown) => it);
    expect(problemTitle(error)).toBe(title);
    expect(pageWords((error as CodedError).words)).toMatch(words);
  });

  test('is looked at no further than its beginning, and cannot be read without a row or a column', async () => {
    const parts = new Array(100).fill('1,2,a\n'.repeat(10_000));
    const file = new File(['age,dose,label\n', ...parts], 'rows.csv');
    let read = 0;
    const stream = file.stream.bind(file);
    vi.spyOn(file, 'stream').mockImplementation(() =>
      stream().pipeThrough(
        new TransformStream({
          transform(chunk, controller) {
            read += chunk.length;
            controller.enqueue(chunk);
          },
        }),
      ),
    );
    const job = { kind: 'look', name: 'rows.csv', columns, countsUnreadable: false, form: null } as const;
    expect(faultsOf({ file, ...(await look({ ...job, file })) })).toEqual([]);
    expect(read).toBeLessThan(3e6);
    expect(faultsOf(await looked('age,dose,label\n'))).toEqual(['The file has no rows']);
    expect(faultsOf(await looked('x,y,z\n1,2,3\n'))).toEqual(['The file lacks 3 columns of the task']);
    expect(faultsOf(null)).toEqual(['Choose a file that can be read']);
  });
});

test.each<[CodedError['info'], string]>([
  [STATISTICS_CODES.ERR_CSV_CELL, 'This file could not be read'],
  [STATISTICS_CODES.ERR_TOO_MANY_ROWS, 'This file does not fit the task'],
  [CODES.ERR_PEER_UNREACHABLE, 'The connection failed'],
  [CODES.ERR_POLICY, 'Your policy does not allow it'],
  [CODES.ERR_TASK_CLOSED, 'refused'],
  [DEVICE_CODES.ERR_OWNER_BUSY, 'This device cannot do it now'],
  [DEVICE_CODES.ERR_WORKER, 'This device cannot do it now'],
  [CODES.ERR_INTERNAL, 'The service has failed'],
])('an error has a title by its code: %o', (info, title) => {
  expect(problemTitle(new CodedError(info, 'why'), 'refused')).toBe(title);
});
