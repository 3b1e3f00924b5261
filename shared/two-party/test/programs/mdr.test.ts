/** The MDR program in the clear against the reference, at ordinary and at degenerate statistics. */

import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { CountingGates, CountingSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { around, check, each, run, turns } from './check.ts';
import { settingOf } from './data.ts';

/** Utility classes in turns, privacy classes in runs of seven. */
function ordinary(
  d: number,
  utility: number,
  privacy: number,
  ridge: number,
  components = Math.min(d, utility - 1),
) {
  const rows = 24 * utility;
  return {
    rows: around(rows, d, utility),
    components,
    method: { kind: 'mdr', ridge } as const,
    labellings: [turns(rows, utility), turns(rows, privacy, (i) => Math.floor(i / 7) % privacy)],
  };
}

/** Eigenvalues have 14 bits less than those of DCA. */
const TOLERANCE = { values: 2 ** -15 };

describe('mdr', () => {
  each<[string, number, number, number]>(
    [
      ['one contrast each', 3, 2, 2],
      ['more privacy contrasts than features', 2, 2, 4],
    ],
    [
      ['one contrast each', 6, 2, 2],
      ['few classes', 8, 3, 3],
      ['more utility classes', 8, 5, 2],
      ['more privacy classes', 8, 2, 5],
      ['as many contrasts as features', 4, 3, 3],
      ['more contrasts than features', 5, 4, 4],
      ['more privacy contrasts than features', 4, 2, 7],
      ['more utility contrasts than features', 4, 9, 3],
      ['one feature', 1, 2, 2],
    ],
  )('is right with %s', async (_, d, utility, privacy) => {
    await check(ordinary(d, utility, privacy, 1), TOLERANCE);
  });

  each(
    [[3, 2, 2, 0.1]],
    [1000, 10, 0.1, 0.01].flatMap((ridge) => [
      [7, 3, 3, ridge],
      [4, 3, 5, ridge],
    ]),
  )('is right with %i features, %i and %i classes, a ridge of %f', async (d, utility, privacy, ridge) => {
    await check(ordinary(d, utility, privacy, ridge), { values: 2 ** -13 });
  });

  it('needs no ridge with enough privacy classes, and refuses without one before any gate otherwise', async () => {
    await check(ordinary(3, 2, 7, 0), TOLERANCE);
    const { task, program } = settingOf(ordinary(6, 2, 6, 0));
    const session = new CountingSession(new CountingGates());
    await expect(runProgram(session, task, program, {})).rejects.toMatchObject({
      name: 'CodedError',
      code: 'ERR_NOT_POSITIVE_DEFINITE',
    });
    expect(session.gates.andGates).toBe(0);
  });

  it('refuses without a ridge when privacy classes are empty', async () => {
    const given = ordinary(3, 2, 7, 0);
    const labellings = [given.labellings[0]!, turns(48, 7, (i) => i % 3)];
    await expect(run(settingOf({ ...given, labellings }))).rejects.toMatchObject({
      code: 'ERR_NOT_POSITIVE_DEFINITE',
    });
  });

  it('finds nothing where utility and privacy are the same but for the ridge', async () => {
    const given = ordinary(3, 3, 3, 0.1);
    const { result } = await check({ ...given, labellings: [turns(72, 3), turns(72, 3)] }, TOLERANCE);
    for (const value of result.eigenvalues) expect(value).toBeLessThan(1);
  });

  const emptied = async (d: number, utility: (i: number) => number, privacy: (i: number) => number) => {
    const given = ordinary(d, 3, 3, 1);
    const labellings = [turns(72, 3, utility), turns(72, 3, privacy)];
    await check({ ...given, labellings }, TOLERANCE);
  };
  it('is right with classes without rows', async () => {
    await emptied(
      3,
      (i) => 1 + (i % 2),
      () => 1,
    );
  });
  it.each<[string, (i: number) => number, (i: number) => number]>([
    ['the last utility class empty', (i) => i % 2, (i) => (i >> 2) % 3],
    ['the first utility class empty', (i) => 1 + (i % 2), (i) => (i >> 2) % 3],
    ['a privacy class empty', (i) => i % 3, (i) => 2 * ((i >> 2) % 2)],
    ['one privacy class', (i) => i % 3, () => 1],
  ])('is right with %s', { tags: ['long'] }, async (_, ...labels) => {
    for (const d of [7, 3]) await emptied(d, ...labels);
  });

  it.each([2, 3])('gives %i utility classes with equal means zero eigenvalues', async (classes) => {
    const rows = around(20, 2, 1).flatMap((row) => new Array<number[]>(classes).fill(row));
    const labellings = [turns(rows.length, classes), turns(rows.length, 2, (i) => Math.floor(i / 9) % 2)];
    const { result } = await check({ ...ordinary(2, classes, 2, 1), rows, labellings });
    expect(result.eigenvalues).toEqual(new Array(classes - 1).fill(0));
  });

  it('is right for the coarsest and the finest numbers', async () => {
    const given = ordinary(2, 2, 2, 1);
    for (const size of [
      { fractionBits: 3, maximumOwners: 3, maximumSamplesPerOwner: 20 },
      { fractionBits: 20, maximumOwners: 100, maximumSamplesPerOwner: 1_000_000 },
    ]) {
      await check({ ...given, ...size }, TOLERANCE);
    }
  });

  it('is right for tiny differences of classes beside an empty one', async () => {
    const given = ordinary(2, 3, 2, 1);
    const rows = given.rows.map((row) => row.map((value) => value / 1000));
    const labellings = [turns(72, 3, (i) => i % 2), given.labellings[1]!];
    await check({ ...given, rows, labellings, method: { kind: 'mdr', ridge: 1e-6 } }, TOLERANCE);
  });

  it.each([
    ['the first utility and the last privacy class', (i: number) => 1 + (i % 2), (i: number) => i % 2],
    ['a utility class and the first privacy class', (i: number) => 2 * (i % 2), (i: number) => 1 + (i % 2)],
  ])(
    'is right for the least differences of classes beside empty ones: %s',
    {
      tags: ['long'],
    },
    async (_, utility, privacy) => {
      const fractionBits = 3;
      // Of 1023 and 1024 rows one differs from 0, by a unit: V_1 M_2 - V_2 M_1 = ±1, and the ridge is no larger than what follows.
      const count = 2047;
      for (const d of [7, 3]) {
        const unit = Array.from({ length: d }, (_, j) => (j % 2 === 0 ? 1 : -1) / 2 ** fractionBits);
        const rows = Array.from({ length: count }, (_, i) => (i < 2 ? unit : unit.map(() => 0)));
        const labellings = [turns(count, 3, utility), turns(count, 3, privacy)];
        const method = { kind: 'mdr', ridge: 4 ** -(fractionBits + 15) } as const;
        const sizes = { fractionBits, maximumOwners: 10, maximumSamplesPerOwner: 205 };
        await check({ rows, components: 1, method, labellings, ...sizes }, TOLERANCE);
      }
    },
  );

  it.each([80, 120])(
    'has room for a difference of classes in all features: %d rows',
    { tags: ['long'] },
    async (count) => {
      const next = generator(3);
      const rows = Array.from({ length: count }, (_, i) =>
        Array.from(
          { length: 24 },
          (_, j) => (i % 2 === 0 ? 0.8 : -0.8) + (i % 3 === 0 ? 0.2 * next() : (-0.2 * j) / 24),
        ),
      );
      const method = { kind: 'mdr', ridge: 1 } as const;
      const labellings = [turns(count, 2, (i) => (i % 3 === 0 ? 1 : 0)), turns(count, 2)];
      await check({ rows, components: 1, method, labellings }, TOLERANCE);
    },
  );

  it('has room for many contrasts of the same size', { tags: ['long'] }, async () => {
    const classes = 24;
    const means: number[] = [0.3];
    for (let j = 1; j < classes; j += 1) {
      const before = means.reduce((sum, mean) => sum + mean, 0) / j;
      means.push(before + (j % 2 === 0 ? 0.6 : -0.6) * Math.sqrt((j + 1) / j));
    }
    const rows = [...means, ...means].map((mean) => [mean]);
    const labellings = [turns(rows.length, classes), turns(rows.length, 2, (i) => (i % 4 === 0 ? 1 : 0))];
    await check({ rows, components: 1, method: { kind: 'mdr', ridge: 1 }, labellings }, TOLERANCE);
  });

  it('refuses a ridge that is next to nothing beside the classes', async () => {
    await expect(run(settingOf(ordinary(3, 2, 2, 1e-5)))).rejects.toMatchObject({
      code: 'ERR_NOT_POSITIVE_DEFINITE',
    });
  });

  it('refuses utility of a single class, and other owners than were verified', async () => {
    const given = ordinary(2, 3, 2, 1);
    const labellings = [turns(72, 3, () => 2), given.labellings[1]!];
    await expect(run(settingOf({ ...given, labellings }))).rejects.toMatchObject({
      code: 'ERR_SINGLE_CLASS',
    });
    const whole = settingOf(given);
    await expect(run({ ...whole, garbler: { ...whole.garbler, verifiedOwners: 2 } })).rejects.toMatchObject({
      code: 'ERR_OWNER_COUNT',
    });
  });

  it('reveals mean and numbers of rows where declared', async () => {
    const given = settingOf(ordinary(2, 3, 2, 1));
    const result = await run({
      ...given,
      program: { ...given.program, outputs: ['mean', 'sampleCount', 'classCounts'] },
    });
    expect(result.sampleCount).toBe(72);
    expect(result.classCounts).toEqual(
      given.statistics.labellings.map((classes) => classes.map(({ M }) => Number(M))),
    );
    const sums = given.statistics.labellings[0]!.map(({ V }) => V);
    for (const [i, mean] of result.mean!.entries()) {
      const sum = sums.reduce((total, V) => total + Number(V[i]!), 0) / 2 ** 14;
      expect(Math.abs(mean - sum / 72)).toBeLessThan(2 ** -23);
    }
  });
});
