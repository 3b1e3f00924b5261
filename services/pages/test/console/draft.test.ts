/** A draft by the page is the command line's: columns, members, and what is said of both. */
import { draftTask } from '@eigenveil/data-user';
import { type DraftBasis, followingColumns, readSample, withBookRidge } from '@eigenveil/data-user/draft';
import { METHODS, type MethodName, methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { readFileBytes } from '@eigenveil/statistics';
import { readBlobBytes } from '@eigenveil/statistics/owner';
import { TaskProposal } from '@eigenveil/task/schema';
import { CODES } from '@eigenveil/wire/errors';
import { describe, expect, it } from 'vitest';
import { dataFile } from '../../../../test/support/tasks.ts';
import { checkProposal, obstaclesTo } from '../../src/console/create/check-proposal.ts';
import { draftWords } from '../../src/console/draft/draft-words.ts';
import {
  choiceOf,
  draftedText,
  firstDraft,
  probableRoles,
  problemOf,
  targetFlag,
  warningOf,
} from '../../src/console/draft/first-draft.ts';
import { contributionBytes, rowsOf, tellable } from '../../src/console/draft/forecast.ts';
import {
  type Json,
  type Kind,
  membersOf,
  numberOrText,
  withMember,
} from '../../src/console/draft/members.ts';

import {
  draftWanted,
  faultsOf,
  flagMembers,
  probableComponents,
  type Sources,
  type Wanted,
  wantedFor,
} from '../../src/console/draft/wanted.ts';

async function* bytesOf(text: string) {
  yield new TextEncoder().encode(text);
}
const sampleOf = (text: string) => readSample(bytesOf(text));
const MIXED = 'age,name,species,sex,id\n1.5,anna,0,f,a b\n2,bert,1,m,x\n7,carl,1,f,y \n';

const obstaclesOf = (value: Json) => obstaclesTo(tellable(value)!, { now: new Date(), written: value });

/** No draft asks them for anything. */
const NO_SOURCES: Sources = {
  read: () => expect.unreachable(),
  sampleIn: () => expect.unreachable(),
  result: () => expect.unreachable(),
};

describe('columns', () => {
  it('are features where they are numbers, and labels where they look so and the method takes some', async () => {
    const sample = await sampleOf(MIXED);
    expect(probableRoles(sample, 'pca')).toEqual(['feature', 'out', 'out', 'out', 'out']);
    expect(probableRoles(sample, 'lda')).toEqual(['feature', 'first', 'out', 'out', 'out']);
    expect(probableRoles(sample, 'mdr')).toEqual(['feature', 'first', 'second', 'out', 'out']);
  });

  it('say what they cannot be, without a cell', async () => {
    const { columns } = await sampleOf(MIXED);
    const [age, name, species, , id] = columns;
    expect(problemOf(age!, 'feature')).toBeNull();
    expect(problemOf(name!, 'feature')).toBe('its cell in row 1 is no number');
    expect(problemOf(id!, 'first')).toBe('its cell in row 3 has blanks around it');
    expect(problemOf(id!, 'out')).toBeNull();
    expect(warningOf(species!, 'feature')).toMatch(/^it looks like a label, with 2 different whole numbers/);
    expect(warningOf(species!, 'first')).toBeNull();
    const { columns: one } = await sampleOf('a,l\n1,x\n,x\n');
    expect(problemOf(one[0]!, 'feature')).toBe('its cell in row 2 is missing');
    expect(problemOf(one[1]!, 'first')).toBe('it has one label alone');
    const many = Array.from({ length: 101 }, (_, i) => `${i},l${i}`);
    const { columns: ids } = await sampleOf(`a,l\n${many.join('\n')}\n`);
    expect(problemOf(ids[1]!, 'first')).toBe('it has more than 100 different labels');
  });

  it('without a name are left out, and say so', async () => {
    const sample = await sampleOf(
      `,a,b,c\n${[0, 1, 2, 3].map((i) => `${i},${i * i},${7 % (i + 2)},${i % 2}`).join('\n')}\n`,
    );
    const wanted = wantedFor(sample, 'pca');
    expect(wanted.roles).toEqual(['out', 'feature', 'feature', 'feature']);
    expect(problemOf(sample.columns[0]!, 'feature')).toBe('it has no name: give it one in the file');
    const { proposal } = await draftWanted(sample, wanted, NO_SOURCES);
    expect(proposal.features.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('have to be what the method takes', async () => {
    const sample = await sampleOf(MIXED);
    const roles = ['feature', 'out', 'second', 'first', 'out'] as const;
    expect(choiceOf(sample, roles, 'mdr')).toEqual({
      method: 'mdr',
      labels: ['sex', 'species'],
      ignore: ['name', 'id'],
    });
    expect(choiceOf(sample, roles, 'pca')).toMatch(/takes no labels/);
    expect(choiceOf(sample, roles, 'lda')).toMatch(/takes no privacy labels/);
    expect(choiceOf(sample, ['feature', 'first', 'first', 'out', 'out'], 'lda')).toMatch(/several are/);
    expect(choiceOf(sample, ['out', 'out', 'out', 'out', 'out'], 'pca')).toMatch(/At least one column/);
  });
});

describe('columns that follow from others', () => {
  it('are named, but not those that are left out', async () => {
    const lines = Array.from({ length: 90 }, (_, row) => `${row % 7},${(row * row) % 11},${row % 7},x`);
    const sample = await sampleOf(`a,b,c,text\n${lines.join('\n')}\n`);
    const following = (ignore: readonly string[]) => followingColumns(sample, { labels: [], ignore });
    expect(following(['text'])).toEqual([{ name: 'c', why: 'is a copy of "a"' }]);
    expect(following(['text', 'a'])).toEqual([]);
  });
});

describe('the first text', () => {
  const WISHES = {
    components: 2,
    mostComponents: 2,
    owners: 10,
    twoParty: 'garbled',
    epsilon: undefined,
  } as const;
  const PCA = { method: 'pca', labels: [], ignore: [] } as const;

  it("is the command line's draft of the same file, with every member that has a default", async () => {
    const file = dataFile('iris');
    const sample = await readSample(readFileBytes(file));
    const options = { method: 'lda', labels: ['label'], ignore: [] } as const;
    const value = JSON.parse(draftedText(await firstDraft(sample, options, WISHES)));
    const { rows, ...draft } = await draftTask(file, { ...options, components: 2 });
    expect(rows).toBe(150);
    expect(value).toMatchObject({ ...draft, components: 2, maximumOwners: 10, minimumOwners: 5 });
    // Left out: the operator closes the task, and names it or does not.
    const { title, basis, closes, rangesFrom, sketch, ...said } = TaskProposal.shape;
    expect(Object.keys(value).sort()).toEqual(Object.keys(said).sort());
    expect(obstaclesOf(value)).toEqual([]);
    const fine = Array.from({ length: 90 }, (_, row) => `${Math.sqrt(row + 2)},${row % 11}`);
    const mixed = await sampleOf(`a,b\n${fine.join('\n')}\n`);
    const exact = await firstDraft(mixed, PCA, WISHES);
    expect(exact.features.map(({ grain }) => grain)).toEqual(['cell', 1]);
  });

  it('leaves the consent of differential privacy to the person, and can be told of all the same', async () => {
    const sample = await sampleOf(MIXED);
    const choice = choiceOf(sample, ['feature', 'out', 'feature', 'out', 'out'], 'pca');
    if (typeof choice === 'string') throw new Error(choice);
    await expect(firstDraft(sample, choice, WISHES)).rejects.toThrow('"species" looks like a label');
    const two = await sampleOf('a,b,c\n1,2,3\n2,5,4\n9,7,8\n');
    const value = JSON.parse(
      draftedText(await firstDraft(two, PCA, { ...WISHES, components: 1, epsilon: 1 })),
    );
    expect(value.differentialPrivacy).toMatchObject({ epsilon: 1, dataIndependentRanges: false });
    expect(TaskProposal.safeParse(value).success).toBe(false);
    expect(tellable(value)?.differentialPrivacy?.dataIndependentRanges).toBe(true);
    expect(contributionBytes(tellable(value)!) % (2 * (3072 / 8))).toBe(0);
    expect(tellable({ ...value, components: 'x' })).toBeNull();
  });

  it('says what is wrong with wishes', async () => {
    const sample = await sampleOf('a,b,c\n1,2,3\n2,5,4\n');
    await expect(firstDraft(sample, PCA, { ...WISHES, owners: Number.NaN })).rejects.toThrow(
      /"maximumOwners"/,
    );
  });
});

describe('the form of a draft', () => {
  /** Two kinds of labels, and columns that do not follow from each other. */
  const TABLE = `label,kind,${Array.from({ length: 40 }, (_, i) => `f${i}`).join(',')}
${Array.from({ length: 90 }, (_, row) =>
  [
    `c${row % 3}`,
    `k${row % 2}`,
    ...Array.from({ length: 40 }, (_, i) => Math.sin((row + 1) * (i + 2)).toFixed(3)),
  ].join(','),
).join('\n')}\n`;

  /** With what a person has to choose, as nothing of it is probable. */
  const chosen = (wanted: Wanted): Wanted => ({
    ...wanted,
    ...(targetFlag(wanted.method) !== undefined && { roles: wanted.roles.with(5, 'target') }),
  });

  it.each(Object.keys(METHODS) as MethodName[])('ends with %s in a task that is computed', async (method) => {
    const sample = await sampleOf(TABLE);
    const wanted = chosen(wantedFor(sample, method, wantedFor(sample, 'pca')));
    expect(faultsOf(sample, wanted)).toEqual([]);
    const { proposal } = await draftWanted(sample, wanted, NO_SOURCES);
    const text = draftedText(proposal);
    const value: Json = JSON.parse(text);
    expect(methodOf(tellable(value)!).name).toBe(method);
    expect(obstaclesOf(value)).toEqual([]);
    // All that is left to do is the consent to ranges, under differential privacy.
    const checked = checkProposal(text, new Date());
    if (METHODS[method].isLinear)
      expect(checked).toMatchObject({
        faults: [{ words: expect.stringMatching(/^"differentialPrivacy.dataIndependentRanges"/) }],
      });
    else expect(checked.kind).toBe('good');
  });

  it('has a control for every flag of a method, of its kind and with its usual value', async () => {
    const kinds = (method: MethodName) =>
      Object.fromEntries(
        flagMembers(method).map(({ name, type, optional }) => [name, [type.kind, optional]]),
      );
    expect(kinds('dca')).toEqual({
      form: ['choice', false],
      ridge: ['number', true],
      signalRidge: ['number', false],
    });
    expect(kinds('histogram')).toEqual({
      height: ['number', false],
      workload: ['choice', false],
      logarithmic: ['number', true],
    });
    expect(kinds('ridge')).toEqual({ ridge: ['number', true] });
    expect(kinds('pca')).toEqual({});
    expect(kinds('sketch')).toEqual({ sketchColumns: ['number', true], refine: ['text', true] });
    const sample = await sampleOf(TABLE);
    expect(wantedFor(sample, 'dca').flags).toEqual({ form: 'standard', signalRidge: 0 });
    expect(wantedFor(sample, 'histogram')).toMatchObject({ flags: { height: 10 }, epsilon: '1' });
  });

  it('says what is wrong beside each control, and what a method needs', async () => {
    const sample = await sampleOf(TABLE);
    const faults = (method: MethodName, change: (wanted: Wanted) => Partial<Wanted>) => {
      const wanted = wantedFor(sample, method);
      return faultsOf(sample, { ...wanted, ...change(wanted) });
    };
    const { roles } = wantedFor(sample, 'pca');
    expect(faults('ridge', () => ({}))).toEqual([
      { path: ['roles'], words: expect.stringMatching(/to be what is predicted, and none is/) },
    ]);
    expect(faults('pca', () => ({ roles: roles.with(3, 'target') }))[0]!.words).toMatch(/predicts no/);
    // All of them at once.
    const wrong = { height: 'ten', workload: 'all' };
    expect(
      faults('histogram', () => ({ epsilon: ' ', flags: wrong, owners: 'few', least: '2', largest: '1' })),
    ).toEqual([
      { path: ['flags', 'height'], words: expect.stringMatching(/^Expected a number/) },
      { path: ['flags', 'workload'], words: expect.stringContaining('prefixes') },
      { path: ['owners'], words: 'Expected a number, got a text.' },
      { path: ['epsilon'], words: expect.stringMatching(/needs an ε/) },
      { path: ['largest'], words: 'Expected more than 2.' },
    ]);
    expect(
      faults('sketch', () => ({ flags: { refine: 'x' }, components: '0', least: '', largest: '1' })).map(
        ({ path }) => path.join('.'),
      ),
    ).toEqual(['flags.refine', 'components', 'least']);
    expect(
      faults('pca', () => ({ components: '', rangesFrom: 'A'.repeat(22), least: '0', largest: '1' })),
    ).toEqual([{ path: ['rangesFrom'], words: expect.stringMatching(/^Give one of these/) }]);
  });

  it('says at its field that a histogram is not there, for as long as it is named', async () => {
    const sample = await sampleOf(TABLE);
    const wanted = { ...wantedFor(sample, 'pca'), rangesFrom: 'A'.repeat(22) };
    const unknown = new CodedError(CODES.ERR_TASK_UNKNOWN, 'there is no such task');
    const result = () => Promise.reject(unknown);
    const failed = await draftWanted(sample, wanted, { ...NO_SOURCES, result }).catch((error) => error);
    expect(faultsOf(sample, wanted, failed)).toEqual([
      { path: ['rangesFrom'], words: 'There is no such task.' },
    ]);
    expect(faultsOf(sample, { ...wanted, rangesFrom: 'B'.repeat(22) }, failed)).toEqual([]);
    const away = new CodedError(CODES.ERR_PEER_UNREACHABLE, 'the service cannot be reached');
    await expect(
      draftWanted(sample, wanted, { ...NO_SOURCES, result: () => Promise.reject(away) }),
    ).rejects.toBe(away);
  });

  it('keeps what no method decides, and predicts the column that is chosen', async () => {
    const sample = await sampleOf(TABLE);
    const before = { ...wantedFor(sample, 'pca'), owners: '7', epsilon: '2' };
    const wanted = wantedFor(sample, 'ridge', before);
    expect(wanted).toMatchObject({ owners: '7', epsilon: '2' });
    const { proposal } = await draftWanted(
      sample,
      { ...wanted, roles: wanted.roles.with(4, 'target'), flags: { ridge: 3 } },
      NO_SOURCES,
    );
    expect(proposal).toMatchObject({ method: { kind: 'ridge', ridge: 3 }, components: 0, maximumOwners: 7 });
    expect(proposal.features.at(-1)!.name).toBe('f2');
    expect(proposal.differentialPrivacy).toBeNull();
  });

  it('proposes as many components as the task allows', async () => {
    const sample = await readSample(readFileBytes(dataFile('iris')));
    const wanted = wantedFor(sample, 'correlation');
    expect(probableComponents(sample, wanted)).toBe(2);
    const { proposal } = await draftWanted(sample, wanted, NO_SOURCES);
    expect(proposal).toMatchObject({ components: 1, twoParty: 'garbled' });
    expect(obstaclesTo(proposal, { now: new Date(), written: null })).toEqual([]);
    // The text that somebody has written stays, with its fault at the member.
    const two = { ...wanted, components: '2' };
    const { proposal: more } = await draftWanted(sample, two, NO_SOURCES);
    const checked = checkProposal(draftedText(more), new Date());
    expect(checked).toMatchObject({ kind: 'faulty', faults: [{ path: ['components'] }] });
  });

  it('refines an earlier sketch by its id', async () => {
    const sample = await sampleOf(TABLE);
    const wanted = wantedFor(sample, 'sketch');
    const { proposal: earlier } = await draftWanted(sample, wanted, NO_SOURCES);
    const task = { ...earlier, features: earlier.features.map((it) => ({ ...it, max: 7 })) };
    const digest = 'D'.repeat(43);
    const asked: string[] = [];
    const sources = {
      ...NO_SOURCES,
      result: async (taskId: string) => {
        asked.push(taskId);
        return { digest, links: [{ task }] } as unknown as DraftBasis;
      },
    };
    const id = 'A'.repeat(22);
    const { proposal } = await draftWanted(sample, { ...wanted, flags: { refine: ` ${id}` } }, sources);
    expect(asked).toEqual([id]);
    expect(proposal.sketch).toMatchObject({ refine: digest });
    expect(proposal.features.every(({ max }) => max === 7)).toBe(true);
  });

  it('takes ρ from the sample where the book’s is asked for, as the command does', async () => {
    const file = new File([TABLE], 'sample.csv');
    const sample = await sampleOf(TABLE);
    const wanted = wantedFor(sample, 'mdr');
    const sources = { ...NO_SOURCES, read: rowsOf(file, new AbortController().signal) };
    const flags = { ridge: 'book' };
    const { proposal, notes } = await draftWanted(sample, { ...wanted, flags }, sources);
    expect(proposal.labellings.map(({ column }) => column)).toEqual(['label', 'kind']);
    const { proposal: plain } = await draftWanted(sample, wanted, NO_SOURCES);
    expect(proposal).toEqual(await withBookRidge(sources.read, { ...plain, deadline: proposal.deadline }));
    expect(proposal.method).not.toEqual(plain.method);
    expect(notes).toEqual([expect.stringContaining('which the task makes public')]);
  });

  it('gives every feature the range that somebody knows, and refuses one that few values are in', async () => {
    const file = new File([TABLE], 'sample.csv');
    const sample = await sampleOf(TABLE);
    const wanted = { ...wantedFor(sample, 'moments'), least: '-2', largest: '3' };
    const sources = {
      ...NO_SOURCES,
      sampleIn: (range: readonly [number, number]) => readSample(readBlobBytes(file, file.name), { range }),
    };
    const { proposal } = await draftWanted(sample, wanted, sources);
    expect(proposal.features).toHaveLength(40);
    expect(proposal.features.every(({ min, max }) => min === -2 && max === 3)).toBe(true);
    await expect(draftWanted(sample, { ...wanted, least: '2' }, sources)).rejects.toMatchObject({
      code: 'ERR_CLIPPED',
    });
  });
});

describe('members', () => {
  const members = membersOf(TaskProposal);
  const kindOf = (name: string): Kind => members.find((member) => member.name === name)!.type;

  it('each say what they are and what they reveal', () => {
    for (const { name, says, reveals } of members) {
      expect(says, name).not.toBe('');
      expect(reveals, name).not.toBe('');
    }
  });

  it('have kinds by the schema, for all of which there is a form', () => {
    expect(members.map(({ name }) => name)).toEqual(Object.keys(TaskProposal.shape));
    expect(kindOf('components').kind).toBe('number');
    expect(kindOf('deadline').kind).toBe('text');
    expect(kindOf('allowFullRank').kind).toBe('yes or no');
    expect(kindOf('encryption')).toEqual({ kind: 'choice', options: ['standard', 'djn'] });
    expect(kindOf('outputs')).toMatchObject({ kind: 'choices' });
    const method = kindOf('method');
    const methods = [...new Set(Object.values(METHODS).map(({ parameters }) => parameters.shape.kind.value))];
    expect(method.kind === 'variants' && [...method.variants.keys()]).toEqual(methods);
    const features = kindOf('features');
    expect(features.kind === 'objects' && features.members.map(({ name }) => name)).toEqual([
      'name',
      'min',
      'max',
      'logarithmic',
      'histogram',
      'twoValued',
      'grain',
    ]);
    const grain = features.kind === 'objects' && features.members.find(({ name }) => name === 'grain');
    expect(grain).toMatchObject({ type: { kind: 'number' }, optional: true });
    expect(kindOf('differentialPrivacy')).toMatchObject({ kind: 'object', nullable: true });
  });

  it('are changed one at a time, in their places', () => {
    expect(JSON.stringify(withMember({ a: 1, b: 2 }, 'a', 3))).toBe('{"a":3,"b":2}');
    expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect([numberOrText('1e3'), numberOrText(''), numberOrText('1.'), numberOrText('two')]).toEqual([
      1000,
      '',
      1,
      'two',
    ]);
  });
});

describe('what is wrong with a sample is told without options, which the console does not have', () => {
  const options = { method: 'pca', labels: [], ignore: [] } as const;
  const wishes = {
    components: 1,
    mostComponents: 1,
    owners: 10,
    twoParty: 'garbled',
    epsilon: undefined,
  } as const;
  it.each([
    [
      'other separators',
      'a;b\n1;2\n3;4\n',
      'the header row is separated otherwise: write the file with commas',
    ],
    ['units', 'a,b\nmm,kg\n1,2\n', 'row 1 holds units, not numbers: take it out of the file'],
    [
      'a missing cell',
      'a,b\n1,2\n,4\n',
      'is a missing value: take such rows out of the sample; if it is a class label, say so',
    ],
    ['blanks', 'a,b\n1,2\n 3,4\n', 'one with spaces around it: take them out of the file'],
  ])('%s', async (_, text, told) => {
    const error: unknown = await readSample(bytesOf(text))
      .then((sample) => firstDraft(sample, options, wishes))
      .catch((it: unknown) => it);
    expect(error).toBeInstanceOf(CodedError);
    const { message, words } = error as CodedError;
    expect(message).toMatch(/--\w/);
    expect(draftWords(words)).not.toMatch(/--\w/);
    expect(draftWords(words)).toContain(told);
  });
});
