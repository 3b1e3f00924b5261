/**
 * The check of a projection against its task: the agreed one passes, and every single change is refused.
 *
 * @claims S-75
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgreedTask } from '../../src/claims/claimed.ts';
import { type ClaimedProjection, checkAgreed, decompose, Projector } from '../../src/index.ts';
import { difference } from '../linear-algebra.ts';
import { DATASETS, METHODS, prepare } from '../samples.ts';

const CORRELATION = { kind: 'pca', scale: 'correlation' } as const;

type Changed = { -readonly [Field in keyof ClaimedProjection]: unknown };

/** A task over a data set, and the projection that comes of it. */
function agreed(
  name: (typeof DATASETS)[number],
  kind: keyof typeof METHODS | 'correlation',
  outputs: AgreedTask['outputs'] = [],
): { task: AgreedTask; projection: ClaimedProjection; rounded: number[][]; scaled: number[][] } {
  const { program, statistics, rounded, scaled } = prepare(
    name,
    kind === 'correlation' ? CORRELATION : METHODS[kind],
  );
  const task: AgreedTask = {
    method: program.method,
    twoParty: 'garbled',
    features: Array.from({ length: program.featureCount }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: program.classCounts.map((count, l) => ({
      column: `label${l}`,
      classes: Array.from({ length: count }, (_, k) => `${k}`),
    })),
    fractionBits: program.fractionBits,
    maximumOwners: 2,
    maximumSamplesPerOwner: 1000,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    differentialPrivacy: null,
    components: 2,
    outputs,
    minimumOwners: 1,
    allowFullRank: false,
  };
  const decomposition = decompose({ ...program, components: 2, outputs }, statistics);
  const { method, twoParty, features, fractionBits, differentialPrivacy } = task;
  const projection = {
    ...{ method, twoParty, features, fractionBits, differentialPrivacy, outputs },
    ...decomposition,
  };
  return { task, projection, rounded, scaled };
}

const ALL = ['mean', 'trace', 'sampleCount', 'spectrum'] as const;
const refusal = (field: string) =>
  expect.objectContaining({
    code: 'ERR_PROJECTION_INVALID',
    message: expect.stringContaining(`"projection.${field}`),
  });

describe('a projection of the agreed task', () => {
  it.each(
    DATASETS.flatMap((name) =>
      (['pca', 'correlation', 'dca', 'lda', 'mdr'] as const).map((kind) => [name, kind] as const),
    ),
  )('is taken, whatever the data: %s, %s', (name, kind) => {
    const outputs =
      kind === 'pca'
        ? ALL
        : kind === 'correlation'
          ? ([...ALL, 'variances'] as const)
          : (['mean', 'sampleCount', 'spectrum', 'classCounts'] as const);
    for (const some of [[], outputs]) {
      const { task, projection } = agreed(name, kind, some);
      checkAgreed(task, projection);
      checkAgreed(task, JSON.parse(JSON.stringify(projection)));
      checkAgreed(task, { ...projection, converged: projection.eigenvalues.map(() => true) });
    }
  });

  it('reduces raw rows as they were contributed', () => {
    const { task, projection, scaled, rounded } = agreed('iris', 'pca', ['mean']);
    const projector = new Projector(task, projection);
    const { vectors, mean } = projection;
    const expected = rounded.map((row) =>
      vectors.map((w) => w.reduce((sum, entry, i) => sum + entry * (row[i]! - mean![i]!), 0)),
    );
    expect(difference(projector.transform(scaled), expected)).toBeLessThan(1e-12);
  });
});

it('has the title of the task, or none where the task has none', () => {
  const { task, projection } = agreed('pima', 'pca');
  const titled = { ...task, title: 'Heart study' };
  checkAgreed(titled, { ...projection, title: 'Heart study' });
  for (const title of ['Heart studies', undefined])
    expect(() => checkAgreed(titled, { ...projection, title })).toThrow(refusal('title'));
  expect(() => checkAgreed(task, { ...projection, title: 'Heart study' })).toThrow(refusal('title'));
});

it('has nothing that only results of another kind have', () => {
  const { task, projection } = agreed('pima', 'pca');
  const others = {
    regression: { weights: [1], intercept: 0 },
    histograms: [],
    privateRows: { rows: 1, deviation: 1 },
  };
  for (const [member, value] of Object.entries(others)) {
    expect(() => checkAgreed(task, { ...projection, [member]: value })).toThrow(refusal(member));
    checkAgreed(task, { ...projection, [member]: undefined });
  }
});

it('of a correlation matrix has negative eigenvalues only with a floor, whose noise may make them so', () => {
  const { task, projection } = agreed('pima', 'correlation', [...ALL, 'variances']);
  const spectrum = projection.spectrum!.with(-1, -0.5);
  const off = spectrum.at(-1)! - projection.spectrum!.at(-1)!;
  const indefinite = { ...projection, spectrum, trace: projection.trace! + off };
  expect(() => checkAgreed(task, indefinite)).toThrow(refusal('spectrum'));
  checkAgreed({ ...task, exact: false, releases: 2 }, indefinite);
});

it('has means and variances above 1 only with a floor, where noise of owners may make them so', () => {
  const { task, projection } = agreed('pima', 'correlation', [...ALL, 'variances']);
  for (const field of ['mean', 'variances'] as const) {
    const above = { ...projection, [field]: projection[field]!.with(0, 1.05) };
    expect(() => checkAgreed(task, above)).toThrow(refusal(field));
    checkAgreed({ ...task, exact: false, releases: 2 }, above);
  }
});

it('has parts of the scatter above 1 only with a floor, whose ridge noise of owners may outweigh', () => {
  const { task, projection } = agreed('pima', 'dca');
  const above = { ...projection, eigenvalues: projection.eigenvalues.with(0, 1.01) };
  expect(() => checkAgreed(task, above)).toThrow(refusal('eigenvalues'));
  checkAgreed({ ...task, exact: false, releases: 2 }, above);
});

it('of a correlation matrix has vectors that standard deviations allow', () => {
  const { task, projection } = agreed('pima', 'correlation', [...ALL, 'variances']);
  const change = (by: number) =>
    checkAgreed(task, {
      ...projection,
      vectors: projection.vectors.map((w) => w.map((entry) => entry * by)),
    });
  change(1.5);
  const [length] = projection.vectors.map((w) => Math.hypot(...w));
  expect(() => change(0.9 / length!)).toThrow(refusal('vectors'));
  expect(() => change((2 * 1000 * 2 ** 14 * 1.1) / length!)).toThrow(refusal('vectors'));
  expect(() => change(Number.NaN)).toThrow(refusal('vectors'));
  for (const [name, most] of [
    ['trace', 8],
    ['spectrum', 8],
  ] as const) {
    const changed =
      name === 'trace' ? most * 1.01 : projection.spectrum!.map((x, i) => (i === 0 ? most * 1.01 : x));
    expect(() => checkAgreed(task, { ...projection, [name]: changed })).toThrow(refusal(name));
  }
  const variances = projection.variances!.map((x, i) => (i === 0 ? 1.01 : x));
  expect(() => checkAgreed(task, { ...projection, variances })).toThrow(refusal('variances'));
  const covariance = { ...projection, method: METHODS.pca };
  expect(() => checkAgreed(task, covariance)).toThrow(refusal('method'));
});

describe('any other', () => {
  const { task, projection } = agreed('iris', 'pca', ALL);
  const d = task.features.length;
  const index = fc.nat({ max: d - 1 });
  const component = fc.nat({ max: 1 });
  const wild = fc.constantFrom(1e308, -1e308, Number.POSITIVE_INFINITY, Number.NaN, 1e12, -1e12);
  const isOther = (value: unknown, known: unknown) => JSON.stringify(value) !== JSON.stringify(known);
  const rotated = (angle: number) => {
    const [a, b] = projection.vectors as number[][];
    return [a!.map((entry, i) => Math.cos(angle) * entry + Math.sin(angle) * b![i]!), b!];
  };

  /** Per field, what somebody may put into it. */
  const changes: { [Field in keyof Changed]: fc.Arbitrary<unknown> } = {
    method: fc.constantFrom({ kind: 'lda', ridge: 1 }, { kind: 'pca', form: 'book' }, undefined),
    twoParty: fc.constantFrom('rotated', 'simulated', undefined),
    features: fc.oneof(
      fc
        .tuple(index, fc.string({ minLength: 1 }))
        .map(([i, name]) => task.features.with(i, { ...task.features[i]!, name })),
      fc.tuple(index, wild).map(([i, max]) => task.features.with(i, { ...task.features[i]!, max })),
      fc.tuple(index, wild).map(([i, min]) => task.features.with(i, { ...task.features[i]!, min })),
      fc
        .tuple(index, index)
        .map(([i, j]) => task.features.with(i, task.features[j]!).with(j, task.features[i]!)),
      index.map((i) => task.features.toSpliced(i, 1)),
      fc.constant([...task.features, { name: 'salary', min: 0, max: 1 }]),
    ),
    fractionBits: fc.integer({ min: 1, max: 20 }),
    outputs: fc.subarray([...ALL]),
    differentialPrivacy: fc.constantFrom({ epsilon: 1 }, undefined),
    vectors: fc.oneof(
      fc
        .tuple(component, index, wild)
        .map(([j, i, value]) => projection.vectors.with(j, projection.vectors[j]!.with(i, value))),
      fc
        .tuple(component, index)
        .map(([j, i]) => projection.vectors.with(j, projection.vectors[j]!.toSpliced(i, 1))),
      // More components, fewer, one twice, the other sign, another length.
      component.map((j) => [...projection.vectors, projection.vectors[j]!]),
      component.map((j) => projection.vectors.toSpliced(j, 1)),
      component.map((j) => projection.vectors.map(() => projection.vectors[j]!)),
      component.map((j) =>
        projection.vectors.with(
          j,
          projection.vectors[j]!.map((entry) => -entry),
        ),
      ),
      fc.tuple(component, fc.constantFrom(0, 0.5, 1.001, 1e6)).map(([j, scale]) =>
        projection.vectors.with(
          j,
          projection.vectors[j]!.map((entry) => scale * entry),
        ),
      ),
      fc.double({ min: 0.01, max: 1.5, noNaN: true }).map(rotated),
    ),
    eigenvalues: fc.oneof(
      fc.tuple(component, wild).map(([j, value]) => projection.eigenvalues.with(j, value)),
      fc.constant(projection.eigenvalues.toReversed()),
      fc.constant([...projection.eigenvalues, 0]),
      component.map((j) => projection.eigenvalues.toSpliced(j, 1)),
    ),
    converged: fc.array(fc.boolean()).filter(({ length }) => length !== 2),
    mean: fc.oneof(
      fc
        .tuple(index, fc.oneof(wild, fc.constantFrom(1.01, -1.01)))
        .map(([i, value]) => projection.mean!.with(i, value)),
      index.map((i) => projection.mean!.toSpliced(i, 1)),
      fc.constant(undefined),
    ),
    trace: fc.oneof(wild, fc.constantFrom(undefined, 0, projection.trace! * 1.1)),
    sampleCount: fc.oneof(wild, fc.constantFrom(undefined, 0, -1, 1.5, 2001)),
    spectrum: fc.oneof(
      fc.tuple(index, wild).map(([i, value]) => projection.spectrum!.with(i, value)),
      index.map((i) => projection.spectrum!.toSpliced(i, 1)),
      fc.constant(projection.spectrum!.toReversed()),
      fc.constant(projection.spectrum!.map((value) => 1.1 * value)),
      fc.constant(undefined),
    ),
  };

  it.each(Object.keys(changes) as (keyof Changed)[])('is refused: a single change of "%s"', (field) => {
    fc.assert(
      fc.property(
        changes[field]!.filter((value) => isOther(value, projection[field])),
        (value) => {
          const changed = { ...projection, [field]: value } as ClaimedProjection;
          expect(() => new Projector(task, changed)).toThrow(refusal(''));
        },
      ),
      { numRuns: 60 },
    );
  });

  // Each with the outputs beside which nothing else gives it away.
  const single: [
    string,
    string,
    AgreedTask['outputs'],
    (it: ClaimedProjection) => Partial<ClaimedProjection>,
  ][] = [
    ['vectors', 'an entry too many', [], ({ vectors }) => ({ vectors: vectors.map((w) => [...w, 0]) })],
    ['eigenvalues', 'another order', [], ({ eigenvalues }) => ({ eigenvalues: eigenvalues.toReversed() })],
    ['trace', 'more than any rows have', ['trace'], () => ({ trace: 1e12 })],
    ['trace', 'less than any rows have', ['trace'], () => ({ trace: -10 })],
    ['spectrum', 'a number too many', ['spectrum'], ({ spectrum }) => ({ spectrum: [...spectrum!, 0] })],
    [
      'spectrum',
      'another order of the rest',
      ['spectrum'],
      ({ spectrum }) => ({ spectrum: [...spectrum!.slice(0, 2), ...spectrum!.slice(2).reverse()] }),
    ],
    [
      'spectrum',
      'other eigenvalues',
      ['spectrum'],
      ({ spectrum }) => ({ spectrum: spectrum!.map((value) => 1.1 * value) }),
    ],
  ];
  it.each(single)('is refused: "%s" with %s', (field, _, outputs, change) => {
    const one = agreed('iris', 'pca', outputs);
    checkAgreed(one.task, one.projection);
    const changed = { ...one.projection, ...change(one.projection) };
    expect(() => checkAgreed(one.task, changed)).toThrow(refusal(field));
  });

  it.each<[string, (counts: number[][]) => unknown]>([
    ['a labelling too few', (counts) => counts.slice(1)],
    ['a class too many', ([first, second]) => [[...first!, 0], second]],
    ['a negative one', ([, second]) => [[151, -1, 0], second]],
    ['a fraction', ([, second]) => [[50.5, 49.5, 50], second]],
    ['another total', ([first, second]) => [first!.with(0, first![0]! + 1), second]],
    ['labellings of different rows', ([first, second]) => [first, second!.with(0, second![0]! - 1)]],
  ])('is refused: class counts with %s', (_, change) => {
    for (const outputs of [['classCounts'], ['classCounts', 'sampleCount']] as const) {
      const { task, projection } = agreed('iris', 'mdr', outputs);
      checkAgreed(task, projection);
      const counts = projection.classCounts!.map((labelling) => [...labelling]);
      const changed = { ...projection, classCounts: change(counts) } as ClaimedProjection;
      expect(() => checkAgreed(task, changed)).toThrow(refusal('classCounts'));
    }
  });

  it.each(ALL)('is refused: %s that the task does not declare', (output) => {
    const outputs = ALL.filter((it) => it !== output);
    const claimed = { ...projection, outputs };
    expect(() => checkAgreed({ ...task, outputs }, claimed)).toThrow(refusal(output));
  });

  it('is refused: columns that were never contributed, with the task’s own signature on everything else', () => {
    const features = task.features.with(0, { name: 'salary', min: 0, max: 1e6 });
    expect(() => new Projector(task, { ...projection, features })).toThrow(refusal('features'));
  });

  it('is held to its order and its bounds only where the computation has found it', () => {
    const eigenvalues = projection.eigenvalues.with(1, 1e9);
    const some = agreed('iris', 'pca');
    const claimed = { ...some.projection, eigenvalues };
    expect(() => checkAgreed(some.task, { ...claimed, converged: [true, true] })).toThrow(
      refusal('eigenvalues'),
    );
    checkAgreed(some.task, { ...claimed, converged: [true, false] });
    const infinite = { ...claimed, converged: [true, false], eigenvalues: [1, Number.POSITIVE_INFINITY] };
    expect(() => checkAgreed(some.task, infinite)).toThrow(refusal('eigenvalues'));
  });

  it('is refused: eigenvalues that the method cannot have', () => {
    for (const [kind, value] of [
      ['dca', 1.01],
      ['lda', 1e9],
      ['mdr', 1e9],
    ] as const) {
      const one = agreed('pima', kind);
      const eigenvalues = one.projection.eigenvalues.with(0, value);
      expect(() => checkAgreed(one.task, { ...one.projection, eigenvalues })).toThrow(refusal('eigenvalues'));
    }
  });

  it('under differential privacy may have numbers that only noise explains, but no wild ones', () => {
    const differentialPrivacy = {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: 2,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    } as const;
    const noisy = agreed('iris', 'pca', ['mean']);
    const noisyTask = { ...noisy.task, differentialPrivacy };
    const claimed = { ...noisy.projection, differentialPrivacy, mean: [1.2, 0, -1.1, 0] };
    checkAgreed(noisyTask, { ...claimed, eigenvalues: [3, -2] });
    const ofCsp = { ...differentialPrivacy, noise: 'csp' } as const;
    expect(() => checkAgreed({ ...noisyTask, differentialPrivacy: ofCsp }, claimed)).toThrow(
      refusal('differentialPrivacy'),
    );
    for (const eigenvalues of [
      [1e308, 1],
      [1, -1e30],
    ])
      expect(() => checkAgreed(noisyTask, { ...claimed, eigenvalues })).toThrow(refusal('eigenvalues'));
    expect(() => checkAgreed(noisyTask, { ...claimed, mean: [1e30, 0, 0, 0] })).toThrow(refusal('mean'));
  });
});
