/** The result of a task of moments: what it is, the check of a claimed one, and its words. */
import { flatResult } from '@eigenveil/methods';
import { Task, TaskProposal } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { checkAgreed, csvOf, linesOf, momentsInUnits, resultOfSums } from '../../src/index.ts';

const FEATURES = [
  { name: 'height', min: 100, max: 200, grain: 'cell', twoValued: false },
  { name: 'weight', min: 0, max: 100, grain: 'cell', twoValued: false },
  { name: 'age', min: 0, max: 100, grain: 'cell', twoValued: false },
] as const;

const proposal = (changes: object = {}) =>
  TaskProposal.parse({
    ...{ method: { kind: 'moments' }, features: FEATURES, labellings: [], components: 0 },
    ...{ minimumOwners: 2, maximumOwners: 4, maximumSamplesPerOwner: 10_000, fractionBits: 12 },
    ...{ twoParty: 'linear', outputs: [], deadline: '2030-01-01T00:00:00.000Z' },
    differentialPrivacy: {
      ...{ epsilon: 2, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1, noise: 'servers' },
      ...{ honestOwners: null, dataIndependentRanges: true },
    },
    ...changes,
  });

const task = Task.parse({
  ...proposal(),
  ...{ protocol: 'eigenveil/1', id: 't'.repeat(22), csp: 'c'.repeat(43), dataUser: 'd'.repeat(43) },
});

/** R, V and M of 20,000 rows with variances of 1/4 about the means 0, 0.25 and 0, and one correlation of 0.6. */
const ROWS = 20_000;
const SUMS = [
  ...[0.25, 0.15, 0, 0.25 + 0.25 ** 2, 0, 0.25].map((value) => Math.round(ROWS * value * 4 ** 12)),
  ...[0, 0.25, 0].map((value) => ROWS * value * 2 ** 12),
  ROWS,
].map(BigInt);

const { method, twoParty, features, fractionBits, outputs, differentialPrivacy } = task;
const result = resultOfSums(task, SUMS);
const claimed = {
  ...{ method, twoParty, features, fractionBits, outputs, differentialPrivacy },
  ...flatResult(result),
};
const moments = claimed.moments!;

test('everything follows from the opened sums', () => {
  const { means, variances, correlations, rows } = moments;
  expect(moments.sums).toEqual(SUMS.map(Number));
  const near = (all: readonly ({ readonly value: number } | null)[]) =>
    all.map((it) => Number(it!.value.toFixed(3)));
  expect(near([rows])).toEqual([ROWS]);
  expect(near(means)).toEqual([0, 0.25, 0]);
  expect(near(variances)).toEqual([0.25, 0.25, 0.25]);
  expect(near(correlations)).toEqual([0.6, 0, 0]);
  for (const { value, from, to } of [rows, ...means, ...variances, ...correlations.map((it) => it!)])
    expect(from < value && value < to).toBe(true);
  expect(() => resultOfSums(task, SUMS.slice(1))).toThrow('expected 10 sums, got 9');
});

test('a claimed result that does not follow from its sums is refused', () => {
  const check = (changes: object) => () =>
    checkAgreed(task, { ...claimed, moments: { ...moments, ...changes } });
  expect(check({})).not.toThrow();
  const [first, ...others] = moments.correlations;
  const off = (by: number) => ({ correlations: [{ ...first!, value: first!.value + by }, ...others] });
  // The last digit may be rounded otherwise elsewhere.
  expect(check(off(2 ** -30))).not.toThrow();
  const refused = [
    off(2 ** -28),
    { correlations: [null, ...others] },
    { correlations: others },
    { means: moments.means.map((it) => ({ ...it, to: it.to - 2 ** -20 })) },
    { sums: moments.sums.with(0, moments.sums[0]! + 2 ** 16) },
    { sums: moments.sums.slice(1) },
    { sums: moments.sums.with(0, 0.5) },
  ];
  for (const changes of refused) expect(check(changes)).toThrow('"projection.moments" expected');
  const { moments: _, ...without } = claimed;
  expect(() => checkAgreed(task, without)).toThrow('"projection.moments" expected');
});

test('it is told in the features’ units', () => {
  const inUnits = momentsInUnits(features, { moments });
  const told = inUnits.features.map(({ mean, deviation }) =>
    [mean.value, deviation.value].map((value) => Number(value.toFixed(1))),
  );
  expect(told).toEqual([
    [150, 25],
    [62.5, 25],
    [50, 25],
  ]);
  const whole = { task, projection: { ...claimed, taskId: task.id, taskDigest: 'x'.repeat(43) } };
  const all = { ...whole, verifiedOwners: 3, remarks: [] } as unknown as Parameters<typeof csvOf>[0];
  expect(linesOf(all).at(-2)).toMatch(/^ {2}weight {2}0\.60 \[0\.\d\d, 0\.\d\d\]$/);
  const lines = csvOf(all).split('\n');
  expect(lines).toHaveLength(1 + 1 + 6 + 3 + 6);
  const numberOf = (what: string) =>
    Number(lines.find((line) => line.startsWith(`${what},height,weight,`))!.split(',')[3]);
  expect(numberOf('correlation')).toBeCloseTo(0.6, 4);
  expect(numberOf('covariance')).toBeCloseTo(0.6 * 25 * 25, 1);
});
