/** What a task must be that stands on an earlier one: its features, and what is refused. */
import { LIMITS } from '@eigenveil/methods';
import { describe, expect, test } from 'vitest';
import { basisFeatures, checkBasis, DifferentialPrivacy, TaskProposal as Task } from '../src/index.ts';

const DIGEST = 'd'.repeat(43);
const PRIVACY = DifferentialPrivacy.parse({
  ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1 },
  dataIndependentRanges: true,
});

/** Of so many features, and three classes. */
const dca = (features: number, changes: Partial<Task> = {}): Task =>
  Task.parse({
    method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 },
    features: Array.from({ length: features }, (_, i) => ({
      name: `f${i}`,
      min: 0,
      max: 1,
      twoValued: false,
      grain: 'cell' as const,
    })),
    labellings: [{ column: 'label', classes: ['a', 'b', 'c'] }],
    components: 1,
    minimumOwners: 2,
    maximumOwners: 9,
    maximumSamplesPerOwner: 100,
    deadline: '2031-01-01T00:00:00Z',
    ...changes,
  });
/** A PCA of so many features. */
const pca = (features: number, changes: Partial<Task> = {}): Task =>
  dca(features, { method: { kind: 'pca' }, labellings: [], components: 2, ...changes });
/** An exact one whose features but the first do not say how coarse they are. */
const silent = (features: number): Task =>
  pca(features, {
    ...{ exact: true, allowFullRank: true },
    features: pca(features).features.map(({ grain, ...it }, i) => (i === 0 ? { ...it, grain } : it)),
  });
/** A task that stands on it. */
const on = (earlier: Task, changes: Partial<Task> = {}): Task =>
  dca(1, { features: [...basisFeatures(earlier)], basis: DIGEST, ...changes });

describe('the features', () => {
  const rangeOf = (task: Task) => basisFeatures(task).map(({ min, max }) => [min, max]);

  test('are the components, in ranges that follow from public numbers alone', () => {
    expect(basisFeatures(pca(9))).toEqual([
      { name: 'component_1', min: -3, max: 3, twoValued: false, grain: 'cell' },
      { name: 'component_2', min: -3, max: 3, twoValued: false, grain: 'cell' },
    ]);
    // With the mean taken off, rows reach twice as far; a feature that does not vary adds nothing.
    expect(rangeOf(pca(9, { outputs: ['mean'] }))[0]).toEqual([-6, 6]);
    expect(rangeOf(pca(10))[0]).toEqual([-4, 4]);
    const features = pca(10).features.map((it, i) => (i === 3 ? { ...it, max: it.min } : it));
    expect(rangeOf(pca(10, { features }))[0]).toEqual([-3, 3]);
  });

  test('are as many as come out, and count as of two values if one may be', () => {
    expect(basisFeatures(dca(5, { components: 4 }))).toHaveLength(2);
    const { features } = pca(4);
    const { twoValued: _, ...unsaid } = features[2]!;
    expect(basisFeatures(pca(4, { features: features.with(2, unsaid) }))[0]!.twoValued).toBe(true);
    // That of a feature which does not vary says nothing.
    const constant = { ...unsaid, max: unsaid.min };
    expect(basisFeatures(pca(4, { features: features.with(2, constant) }))[0]!.twoValued).toBe(false);
  });

  test('have the largest grain of the features, scaled, which a task may declare coarser, but not finer', () => {
    const grained = (...grains: (number | 'cell')[]) =>
      pca(3, { features: pca(3).features.map((it, i) => ({ ...it, min: 0, max: 10, grain: grains[i]! })) });
    const grainOf = (task: Task) => basisFeatures(task)[0]!.grain;
    expect(grainOf(silent(3))).toBeUndefined();
    expect(grainOf(grained('cell', 1, 0.5))).toBe(0.2);
    expect(grainOf(grained('cell', 'cell', 'cell'))).toBe('cell');
    const constant = grained('cell', 1, 0.5).features.map((it, i) => (i === 1 ? { ...it, min: 10 } : it));
    expect(grainOf(pca(3, { features: constant }))).toBe(0.1);
    const earlier = grained(1, 1, 1);
    const declared = (grain: number | 'cell') =>
      on(earlier, { features: basisFeatures(earlier).map((it) => ({ ...it, grain })) });
    expect(() => checkBasis(declared(0.2), [earlier])).not.toThrow();
    expect(() => checkBasis(declared(0.4), [earlier])).not.toThrow();
    for (const grain of [0.19, 'cell'] as const)
      expect(() => checkBasis(declared(grain), [earlier])).toThrow(/grain 0.2 or coarser/);
  });

  test('are none of a correlation matrix', () => {
    expect(() => basisFeatures(pca(4, { method: { kind: 'pca', scale: 'correlation' } }))).toThrow(
      /"basis" expected a covariance matrix/,
    );
  });
});

describe('a chain', () => {
  const first = pca(9);
  const task = on(first);

  test('is taken from the task that stands on none to the last', () => {
    checkBasis(task, [first]);
    checkBasis(pca(9), []);
    const second = pca(1, { features: [...basisFeatures(first)], basis: DIGEST });
    checkBasis(on(second), [first, second]);
  });

  test.each<[string, Task, readonly Task[], RegExp]>([
    ['no link', task, [], /every task of the chain/],
    ['a link of a task that stands on none', pca(2), [first], /every task of the chain/],
    [
      'a first link that stands on another',
      on(pca(9, { basis: DIGEST })),
      [pca(9, { basis: DIGEST })],
      /every/,
    ],
    ['a wider range', on(first, { features: widened(task, 0, 1) }), [first], /"features" expected the 2/],
    ['a narrower range', on(first, { features: widened(task, 1, -1) }), [first], /"features" expected the 2/],
    ['one component less', on(first, { features: task.features.slice(1) }), [first], /"features"/],
    [
      'components in another order',
      on(first, { features: task.features.toReversed() }),
      [first],
      /"features"/,
    ],
    ['other names', on(first, { features: renamed(task) }), [first], /"features" expected/],
    ['a promise about values', on(first, { features: unsaid(task) }), [first], /twoValued false/],
    ['a result that is kept back', task, [pca(9, { releaseToOwners: false })], /released to owners/],
    [
      'noise over a result without',
      on(first, { differentialPrivacy: PRIVACY }),
      [first],
      /differential privacy/,
    ],
  ])('is refused with %s', (_, chained, earlier, message) => {
    expect(() => checkBasis(chained, earlier)).toThrow(
      expect.objectContaining({ code: 'ERR_TASK_INVALID', message: expect.stringMatching(message) }),
    );
  });

  test('has noise where every link has some', () => {
    const noisy = pca(9, { differentialPrivacy: PRIVACY });
    checkBasis(on(noisy, { differentialPrivacy: PRIVACY }), [noisy]);
    checkBasis(on(noisy), [noisy]);
  });

  test('has a floor where every link says how coarse its features are', () => {
    const exact = { exact: true, allowFullRank: true };
    const first = silent(9);
    const cells = { features: basisFeatures(first).map((it) => ({ ...it, grain: 'cell' as const })) };
    expect(() => checkBasis(on(first, cells), [first])).toThrow(/expected tasks with a "grain"/);
    checkBasis(on(first, { ...cells, ...exact }), [first]);
    // What a link between says of features that said nothing is worth nothing.
    const between = pca(2, { ...cells, ...exact, basis: DIGEST });
    expect(() => checkBasis(on(between), [first, between])).toThrow(/expected tasks with a "grain"/);
    // And what it does not say is not made up for by the first.
    const [open, hidden] = [pca(9), pca(2, { ...exact, basis: DIGEST, features: basisFeatures(first) })];
    const onHidden = { features: basisFeatures(hidden).map((it) => ({ ...it, grain: 'cell' as const })) };
    expect(() => checkBasis(on(hidden, onHidden), [open, hidden])).toThrow(/expected tasks with a "grain"/);
    checkBasis(on(hidden, exact), [open, hidden]);
    const still = pca(9, { features: [...open.features, { name: 'still', min: 1, max: 1 }] });
    checkBasis(on(still), [still]);
  });

  test('is no longer than the limit', () => {
    const links = [pca(9)];
    while (links.length < LIMITS.links)
      links.push(pca(1, { features: [...basisFeatures(links.at(-1)!)], basis: DIGEST }));
    checkBasis(links.at(-1)!, links.slice(0, -1));
    expect(() => checkBasis(on(links.at(-1)!), links)).toThrow(/at most 4 tasks, got 5/);
  });
});

function widened({ features }: Task, i: number, by: number): Task['features'] {
  return features.with(i, { ...features[i]!, max: features[i]!.max + by });
}
const renamed = ({ features }: Task) => features.map((it, i) => ({ ...it, name: `other_${i}` }));
const unsaid = ({ features }: Task) => features.map(({ twoValued: _, ...it }) => it);
