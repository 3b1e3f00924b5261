/** Histogram tasks: where counts stand, which bins there are, what one row changes, and what such a task must keep to. */
import { edgesOf, histogramsOf, releaseNoiseOf, strategyOf, sumsOf } from '@eigenveil/methods';
import { coefficientsOf } from '@eigenveil/release';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTask, placesOf, TaskProposal, valueBitsOf } from '../src/index.ts';

const PRIVACY = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: null,
  dataIndependentRanges: true,
} as const;

const proposal = (changes: Record<string, unknown> = {}) =>
  TaskProposal.parse({
    method: { kind: 'histogram', height: 3, strategy: 'privelet' },
    features: ['a', 'b'].map((name) => ({ name, min: 0, max: 8 })),
    components: 0,
    twoParty: 'linear',
    minimumOwners: 2,
    maximumOwners: 3,
    maximumSamplesPerOwner: 5,
    differentialPrivacy: PRIVACY,
    deadline: '2031-01-01T00:00:00Z',
    ...changes,
  });
const shared = (name: string, ...others: string[]) =>
  [name, ...others].map((it) => ({ name: it, min: 0, max: 8, histogram: 'all' }));

test('counts stand by histogram, bins first and cells that are no number behind, then the number of owners', () => {
  const task = proposal({ features: [...shared('x', 'y'), { name: 'z', min: -1, max: 1 }] });
  checkTask(task);
  expect(histogramsOf(task)).toMatchObject([
    { name: 'all', features: [0, 1] },
    { name: 'z', features: [2] },
  ]);
  expect(placesOf(task)).toMatchObject({ counts: { from: 0, to: 18 }, labellings: [], length: 19 });
  // 15 rows, of the shared one 30 cells, and a sign.
  expect(valueBitsOf(task)).toEqual([...new Array(9).fill(6), ...new Array(9).fill(5), 3]);
  expect(sumsOf(task)).toBe(18);
});

test('edges are equally wide, or logarithmic on both sides of 0', () => {
  const [linear] = histogramsOf(proposal());
  expect(edgesOf({ height: 3 }, linear!)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const edges = edgesOf({ height: 3 }, { ...linear!, min: -64, max: 64, logarithmic: 1 });
  [-64, -16, -4, -1, 0, 1, 4, 16, 64].forEach((edge, i) => void expect(edges[i]).toBeCloseTo(edge, 12));
});

describe('what one row changes is no more than the noise is for', () => {
  // Δ₁ of the noise: scale τ = Δ₁/ε at ε = 1. Δ₂ by its ratio to that of a single histogram with one bin per row.
  const l1 = (task: TaskProposal) => {
    const noise = releaseNoiseOf({
      ...task,
      differentialPrivacy: { ...task.differentialPrivacy!, delta: 0, epsilon: 1 },
    });
    if (noise.kind !== 'laplace') throw new Error('expected Laplace noise');
    return Number(noise.scale.numerator) / Number(noise.scale.denominator);
  };
  const sigma = (task: TaskProposal) => {
    const noise = releaseNoiseOf(task);
    if (noise.kind !== 'gaussian') throw new Error('expected Gaussian noise');
    return Number(noise.sigmaSquared.numerator) / Number(noise.sigmaSquared.denominator);
  };
  const flat = proposal({
    method: { kind: 'histogram', height: 2, strategy: 'flat' },
    features: [{ name: 'a', min: 0, max: 1 }],
  });
  const unit = sigma(flat);

  const strategies = [
    { kind: 'histogram', height: 3, strategy: 'flat' },
    { kind: 'histogram', height: 3, strategy: 'privelet' },
    { kind: 'histogram', height: 2, strategy: 'privelet' },
    { kind: 'histogram', height: 2, strategy: 'tree', fanouts: [2, 2] },
    { kind: 'histogram', height: 3, strategy: 'tree', fanouts: [4, 2] },
  ];
  const layouts = [
    [{ name: 'a', min: 0, max: 8 }],
    [...shared('x', 'y')],
    [...shared('x', 'y'), { name: 'z', min: 0, max: 8 }],
  ];
  const cases = strategies.flatMap((method) =>
    layouts.flatMap((features) =>
      (['add-remove', 'replace'] as const).map((neighbours) => [method, features, neighbours] as const),
    ),
  );
  test.each(cases)('%o of %o, %s', (method, features, neighbours) => {
    const task = proposal({ method, features, differentialPrivacy: { ...PRIVACY, neighbours } });
    checkTask(task);
    if (task.method.kind !== 'histogram') throw new Error('expected a histogram');
    const strategy = strategyOf(task.method);
    const { bins } = strategy;
    const all = histogramsOf(task);
    // A row is a bin per feature; the bin behind the last is that of cells that are no number.
    const sumsOfRow = (row: readonly number[]) =>
      all.flatMap((histogram) => {
        const counts = new Array<bigint>(bins + 1).fill(0n);
        for (const i of histogram.features) counts[row[i]!]! += 1n;
        return [...coefficientsOf(strategy, counts.slice(0, -1)), counts[bins]!];
      });
    const largest = { l1: 0, l2: 0 };
    const note = (change: readonly bigint[]) => {
      const sizes = change.map(Number);
      largest.l1 = Math.max(
        largest.l1,
        sizes.reduce((sum, x) => sum + Math.abs(x), 0),
      );
      largest.l2 = Math.max(
        largest.l2,
        sizes.reduce((sum, x) => sum + x * x, 0),
      );
    };
    const row = fc.array(fc.nat(bins), { minLength: features.length, maxLength: features.length });
    // Alike in all features first, where the largest changes are; then any.
    const alike = Array.from({ length: bins + 1 }, (_, bin) => new Array<number>(features.length).fill(bin));
    const others = fc.sample(row, { numRuns: 60, seed: 7 });
    const rows = [...alike, ...others].map(sumsOfRow);
    for (const one of rows)
      if (neighbours === 'add-remove') note(one);
      else for (const other of rows) note(one.map((x, i) => x - other[i]!));
    expect(largest.l1).toBe(l1(task));
    expect(largest.l2).toBeCloseTo(sigma(task) / unit, 9);
  });
});

test.each([
  ['components', { components: 1 }],
  ['another protocol', { twoParty: 'rotated' }],
  ['no guarantee', { differentialPrivacy: null }],
  ['a clipping norm', { differentialPrivacy: { ...PRIVACY, clippingNorm: 1 } }],
  ['noise of the CSP alone', { differentialPrivacy: { ...PRIVACY, noise: 'csp' } }],
  ['outputs', { outputs: ['sampleCount'] }],
  ['a constant feature', { features: [{ name: 'a', min: 1, max: 1 }] }],
  ['other domains in one histogram', { features: [...shared('x'), { ...shared('y')[0], max: 9 }] }],
  ["another feature's name", { features: [...shared('x'), { name: 'all', min: 0, max: 8 }] }],
  ['logarithmic bins of one side', { features: [{ name: 'a', min: 0, max: 8, logarithmic: 1 }] }],
  ['bins that doubles do not tell apart', { features: [{ name: 'a', min: 1, max: 1 + 2 ** -51 }] }],
  [
    'fan-outs without a tree',
    { method: { kind: 'histogram', height: 2, strategy: 'flat', fanouts: [2, 2] } },
  ],
  ['a tree without fan-outs', { method: { kind: 'histogram', height: 2, strategy: 'tree' } }],
  ['fan-outs of other bins', { method: { kind: 'histogram', height: 3, strategy: 'tree', fanouts: [2, 2] } }],
  ['more cells than the ring has room for', { maximumOwners: 1e7, maximumSamplesPerOwner: 9e8 + 2e8 / 2 }],
])('%s is refused', (_, changes) => {
  checkTask(proposal());
  const changed = TaskProposal.safeParse({ ...proposal(), ...changes });
  expect(changed.success).toBe(true);
  expect(() => checkTask(changed.data!)).toThrow(/^"/);
});

test('what is of histograms alone is refused of a projection', () => {
  const pca = {
    method: { kind: 'pca' },
    components: 1,
    twoParty: 'garbled',
    differentialPrivacy: null,
    features: ['a', 'b', 'c'].map((name) => ({ name, min: 0, max: 8, grain: 1, twoValued: false })),
  };
  checkTask(proposal(pca));
  for (const changes of [
    { twoParty: 'linear' },
    { features: shared('x', 'y', 'z') },
    { differentialPrivacy: { ...PRIVACY, clippingNorm: 1, delta: 0 } },
    { differentialPrivacy: PRIVACY },
    { components: 0 },
  ])
    expect(() => checkTask(proposal({ ...pca, ...changes }))).toThrow(/^"/);
});
