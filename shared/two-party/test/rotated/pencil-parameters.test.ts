/**
 * Ring lengths of pencils, what does not fit, and the computed distance of the data user's view from its
 * simulation.
 *
 * @claims S-168
 */
import type { MethodParameters } from '@eigenveil/methods';
import { describe, expect, it } from 'vitest';
import { pencilDistance } from '../../src/rotated/distances.ts';
import { lengthsOf, pencilParameters } from '../../src/rotated/pencil/parameters.ts';
import { settingOf } from '../programs/data.ts';
import { dca, mdr } from './pencils.ts';

function parametersOf(
  method: MethodParameters,
  d: number,
  classes: number,
  { owners = 16, samples = 1024, components = d, fractionBits = 14 } = {},
) {
  const labelling = { classes, labels: [] };
  const { task, program } = settingOf({
    rows: [],
    d,
    method,
    labellings: method.kind === 'mdr' ? [labelling, labelling] : [labelling],
    components,
    maximumOwners: owners,
    maximumSamplesPerOwner: samples,
    fractionBits,
  });
  return pencilParameters(task, program);
}

describe('pencilParameters', () => {
  it.each([
    [8, 2, 28 + 28 + 3 + 2 * 89 + 2],
    [71, 56, 28 + 28 + 7 + 2 * 93 + 2],
    [100, 2, 28 + 28 + 7 + 2 * 93 + 2],
  ])('have shares of the statistics of %i features, %i classes modulo 2^%i', (d, classes, bits) => {
    expect(parametersOf(dca(1), d, classes).ringBits).toBe(bits);
  });

  it('fit a million rows of 100 features and 100 classes', () => {
    const size = { owners: 2 ** 10, samples: 2 ** 10 };
    expect(parametersOf(dca(1), 100, 100, size).ringBits).toBe(263);
    expect(parametersOf(dca(1, 1), 100, 100, size).columns).toBe(199);
    expect(parametersOf(mdr(1), 100, 100, size).ringBits).toBe(288);
  });

  it('refuse what needs a wider ring, and more columns than there are bounds for', () => {
    const range = expect.objectContaining({ code: 'ERR_TASK_RANGE' });
    expect(() => parametersOf(mdr(1), 100, 100, { owners: 2 ** 15, samples: 2 ** 15 })).toThrow(range);
    expect(() => parametersOf(dca(1, 1), 150, 60)).toThrow(range);
    expect(parametersOf(dca(1), 200, 100).columns).toBe(99);
  });
});

describe('pencilDistance', () => {
  it('is at most 2^−38 for every size', () => {
    let largest = 0;
    for (const [summed, ridged] of [
      [false, false],
      [false, true],
      [true, false],
    ] as const) {
      for (let features = 1; features <= 200; features += 1) {
        for (let groups = 1; groups < 100; groups += 1) {
          for (const fractionBits of groups === 1 ? [1, 14, 20] : [14]) {
            for (const components of [ridged ? features : Math.min(groups, features)]) {
              const { total } = pencilDistance(
                lengthsOf({
                  ...{ features, groups, components, summed, fractionBits },
                  columns: groups + (ridged ? features : 0),
                  classes: [groups + 1],
                  shareBits: { R: 0, V: 0, sums: 0 },
                  totalBits: 2 * fractionBits + Math.ceil(Math.log2(features)),
                }),
              );
              largest = Math.max(largest, total);
            }
          }
        }
      }
    }
    expect(largest).toBeLessThan(2 ** -38);
    expect(largest).toBeGreaterThan(2 ** -40);
  });

  it('grows with every source of error', () => {
    const parameters = parametersOf(dca(1), 50, 10);
    const { total, ...parts } = pencilDistance(parameters);
    expect(Object.values(parts).reduce((a, b) => a + b)).toBe(total);
    for (const name of [
      'rotationBits',
      'fineRotationBits',
      'mixingBits',
      'signalBits',
      'whiteBits',
      'directionBits',
      'leastBits',
    ] as const) {
      const worse = { ...parameters, [name]: parameters[name] - 30 };
      expect(pencilDistance(worse).total).toBeGreaterThan(2 ** -38);
    }
  });
});
