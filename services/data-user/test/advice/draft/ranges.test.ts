/** Ranges from the noisy counts of a histogram: the quantiles that the noise allows, what is said of them, and what is refused. */
import { histogramsOf, ofKind, strategyOf } from '@eigenveil/methods';
import { resultOfSums } from '@eigenveil/projection';
import { coefficientsOf } from '@eigenveil/release';
import { checkTask, TaskProposal } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import type { DraftBasis } from '../../../src/advice/draft/basis.ts';
import { draftPrivacy } from '../../../src/advice/draft/privacy.ts';
import { proposalOf, withoutConsent } from '../../../src/advice/draft/proposal.ts';
import { draftRanged, WIDENED } from '../../../src/advice/draft/ranges.ts';

const BINS = 256;
const DIGEST = 'A'.repeat(43);
const ASKED = { lower: 0.005, upper: 0.995 };

const proposal = TaskProposal.parse({
  method: { kind: 'histogram', height: 8, strategy: 'privelet' },
  features: [
    { name: 'a', min: 0, max: 256 },
    { name: 'b', min: -100, max: 156, histogram: 'both' },
    { name: 'c', min: -100, max: 156, histogram: 'both' },
  ],
  components: 0,
  minimumOwners: 2,
  maximumOwners: 4,
  maximumSamplesPerOwner: 1_000_000,
  twoParty: 'linear',
  deadline: '2030-01-01T00:00:00.000Z',
  differentialPrivacy: {
    epsilon: 1,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: null,
    dataIndependentRanges: true,
  },
});

/** A result whose counts spread evenly over 64 bins of `a` from the 100th on, and of the other over 128 from the 64th on; without noise, which is zero now and then. */
function released(rows: number, starts = [100, 64]): DraftBasis {
  const task = proposal;
  const { method } = task;
  if (method.kind !== 'histogram') throw new TypeError('a histogram expected');
  const sums = histogramsOf(task).flatMap(({ features }, h) => {
    const [from, count] = [starts[h]!, h === 0 ? 64 : 128];
    const cells = rows * features.length;
    const counts = Array.from({ length: BINS }, (_, i) =>
      i >= from && i < from + count ? BigInt(Math.round(cells / count)) : 0n,
    );
    return [...coefficientsOf(strategyOf(method), counts), 0n];
  });
  const link = {
    task: { ...task, id: 'histogram-task' },
    projection: ofKind('counts', resultOfSums(task, sums)),
  };
  return { digest: DIGEST, links: [link] } as unknown as DraftBasis;
}

const draft = {
  method: { kind: 'pca' } as const,
  features: ['c', 'a'].map((name) => ({ name, min: 1, max: 2, twoValued: false, grain: 'cell' as const })),
  labellings: [],
  rows: 10,
};
const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'ERR_TASK_INVALID', message: expect.stringMatching(message) });

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('a refusal expected');
}

describe('a draft with private ranges', () => {
  test('has those of the bins of the quantiles that were asked, a tenth wider, and says what they come from', () => {
    const { draft: ranged, notes } = draftRanged(released(1_000_000), draft, ASKED);
    expect(ranged).toMatchObject({ method: { kind: 'pca' }, rangesFrom: DIGEST, rows: 10 });
    // All bins but those of 0.005 of the rows at either end, where bins begin and end.
    expect(ranged.features).toEqual([
      { name: 'c', min: -36 - WIDENED * 128, max: 92 + WIDENED * 128, twoValued: false, grain: 'cell' },
      { name: 'a', min: 100 - WIDENED * 64, max: 164 + WIDENED * 64, twoValued: false, grain: 'cell' },
    ]);
    expect(notes.join('\n')).toMatch(
      /task histogram-task, widened by 10 %.* 0\.5 % .* below and 0\.5 % above/,
    );
    expect(notes.join('\n')).toContain('epsilon 1 with delta 0.000001');
  });

  test('moves inwards as far as the noise asks for, and names the rows that it would take', () => {
    const { draft: ranged, notes } = draftRanged(released(2048), draft, ASKED);
    const [, a] = ranged.features;
    expect(a!.min).toBeGreaterThan(100 - WIDENED * 64);
    expect(a!.max).toBeLessThan(164 + WIDENED * 64);
    expect(notes[0]).toMatch(/for the levels asked it takes about [\d,]+ rows/);
  });

  test('is not made of too few rows, which the refusal names', () => {
    expect(() => draftRanged(released(128), draft, ASKED)).toThrow(
      refused(/leaves no range of "c", "a": it takes about [\d,]+ rows.* about 128$/),
    );
  });

  test('takes half as many rows of two features that share a histogram, since both have cells in it', () => {
    const [, needed] = /it takes about ([\d,]+) rows/.exec(
      messageOf(() => draftRanged(released(128), draft, ASKED)),
    )!;
    const counts = released(Math.round(0.75 * Number(needed!.replaceAll(',', ''))));
    const [c, a] = draft.features.map((feature) => ({ ...draft, features: [feature] }));
    expect(draftRanged(counts, c!, ASKED).draft.features).toHaveLength(1);
    expect(() => draftRanged(counts, a!, ASKED)).toThrow(refused(/leaves no range of "a"/));
  });

  test('stays within the domain of the counts', () => {
    const { draft: ranged } = draftRanged(released(1_000_000, [0, 128]), draft, ASKED);
    expect(ranged.features).toMatchObject([{ max: 156 }, { min: 0 }]);
  });

  test('needs a histogram that has its features, and levels on both sides of the middle', () => {
    const other = {
      ...draft,
      features: [...draft.features, { name: 'd', min: 0, max: 1, twoValued: false, grain: 'cell' as const }],
    };
    expect(() => draftRanged(released(1e6), other, ASKED)).toThrow(refused(/of "d" it has none/));
    const pca = {
      digest: DIGEST,
      links: [{ task: { ...proposal, method: { kind: 'pca' } }, projection: {} }],
    };
    expect(() => draftRanged(pca as unknown as DraftBasis, draft, ASKED)).toThrow(refused(/got pca/));
    const lower = '"--lower" expected from above 0 to 0.2';
    const upper = '"--upper" expected from 0.8 to below 1';
    for (const [levels, told] of [
      [{ lower: 0, upper: 0.9 }, lower],
      [{ lower: 0.3, upper: 0.9 }, lower],
      [{ lower: Number.NaN, upper: 0.9 }, lower],
      [{ lower: 0.1, upper: 0.7 }, upper],
      [{ lower: 0.1, upper: 1 }, upper],
      [{ lower: 0, upper: 1 }, `${lower}; ${upper}`],
    ] as const)
      expect(messageOf(() => draftRanged(released(1e6), draft, levels))).toBe(told);
  });
});

test('a proposal says that its ranges follow from there in the place of the consent, which classes still need', () => {
  const { draft: ranged } = draftRanged(released(100_000), draft, ASKED);
  const wishes = {
    ...{ components: 1, owners: 4, outputs: [], allowFullRank: false, hours: 1 },
    twoParty: 'garbled',
  } as const;
  const privacy = draftPrivacy({ features: ranged.features, epsilon: 1, delta: 1e-6 }, false);
  const written = (changes: Partial<typeof ranged> = {}) =>
    withoutConsent(TaskProposal.parse(proposalOf({ ...ranged, ...changes }, wishes, privacy)));
  expect(written().differentialPrivacy?.dataIndependentRanges).toBe('rangesFrom');
  checkTask(TaskProposal.parse(written()));
  const labelled = written({
    method: { kind: 'lda', ridge: 1 },
    labellings: [{ column: 'label', classes: ['x', 'y'] }],
  });
  expect(labelled.differentialPrivacy?.dataIndependentRanges).toBe(false);
  // Neither without the result that it names, nor beside another consent.
  const { rangesFrom, ...none } = TaskProposal.parse(written());
  expect(() => checkTask(none)).toThrow(/"rangesFrom" where ranges follow from a result/);
  expect(() =>
    checkTask({
      ...none,
      rangesFrom,
      differentialPrivacy: { ...none.differentialPrivacy!, dataIndependentRanges: true },
    }),
  ).toThrow(/"rangesFrom" where ranges follow from a result/);
});
