/** The programs of DCA and LDA in the clear against the reference, at ordinary and at degenerate statistics. */

import type { MethodParameters, Output } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { ClearSession, CountingGates, CountingSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { around, check, checkGarbled, each, run, turns } from './check.ts';
import { settingOf } from './data.ts';

function dca(ridge: number, signalRidge = 0, form: 'standard' | 'book' = 'standard'): MethodParameters {
  return { kind: 'dca', form, ridge, signalRidge };
}

function lda(ridge: number): MethodParameters {
  return { kind: 'lda', ridge };
}

/** Classes in turns. */
function ordinary(
  d: number,
  classes: number,
  method: MethodParameters,
  components = classes - 1,
  rows = 30 * classes,
) {
  return { rows: around(rows, d, classes), components, method, labellings: [turns(rows, classes)] };
}

describe('dca', () => {
  each(
    [
      [3, 3, 2],
      [1, 2, 1],
    ],
    [
      [5, 2, 1],
      [6, 3, 2],
      [6, 3, 1],
      [7, 5, 4],
      [2, 3, 2],
      [4, 9, 4],
      [1, 4, 1],
    ],
  )('is right with %i features, %i classes, %i components', async (d, classes, components) => {
    await check(ordinary(d, classes, dca(0.1), components));
  });

  each(
    [[3, 2, -0.05]],
    [0.05, 2, -0.05, -2].flatMap((ridge) => [
      [6, 3, ridge],
      [4, 2, ridge],
    ]),
  )('is right with %i features, %i classes, a ridge of %f on the signal', async (d, classes, signalRidge) => {
    // The bound that C is divided by is larger than its eigenvalues.
    const tolerance = { values: 2 ** -14, residual: 2 ** -12 };
    await check(ordinary(d, classes, dca(0.1 * (classes - 2), signalRidge), d - 1), tolerance);
  });

  each(
    [[3, 3, 3, 0.05]],
    [
      [6, 2, 1, 0],
      [6, 2, 4, 0],
      [6, 3, 2, 0],
      [6, 3, 6, 0],
      [6, 3, 6, 0.05],
      [6, 3, 6, -0.05],
    ],
  )(
    "is right in the book's form: %i features, %i classes, %i components, ridge %f on the signal",
    async (d, classes, components, signalRidge) => {
      await check(ordinary(d, classes, dca(0.1, signalRidge, 'book'), components));
    },
  );

  it('has the same vectors as lda, and λ / (1 + λ)', { tags: ['long'] }, async () => {
    const [first, second] = await Promise.all(
      [dca(0.2), lda(0.2)].map((method) => run(settingOf(ordinary(3, 3, method)))),
    );
    expect(first!.vectors).toEqual(second!.vectors);
    for (const [i, value] of second!.eigenvalues.entries()) {
      expect(first!.eigenvalues[i]).toBeCloseTo(value / (1 + value), 12);
    }
  });
});

describe('lda', () => {
  each(
    [[3, 3, 2, 0.1]],
    [
      [5, 2, 1, 0],
      [5, 2, 1, 0.1],
      [6, 3, 2, 0.1],
      [4, 9, 4, 0.1],
    ],
  )(
    'is right with %i features, %i classes, %i components, ridge %f',
    async (d, classes, components, ridge) => {
      await check(ordinary(d, classes, lda(ridge), components));
    },
  );

  it('refuses a noise matrix that is singular while the total scatter is not', async () => {
    const next = generator(3);
    const rows = Array.from({ length: 20 }, (_, i) => [i % 2 ? 1 : -1, next() - 0.5, next() - 0.5]);
    const given = { rows, components: 1, labellings: [turns(20, 2)] };
    await expect(run(settingOf({ ...given, method: lda(0) }))).rejects.toMatchObject({
      name: 'CodedError',
      code: 'ERR_NOT_POSITIVE_DEFINITE',
    });
    await check({ ...given, method: dca(0) });
    await check({ ...given, method: lda(0.1) });
  });
});

describe('degenerate statistics', () => {
  const labels: readonly (readonly [string, number, (i: number) => number])[] = [
    ['the first two classes empty', 4, (i) => 2 + (i % 2)],
    ['a class between empty', 4, (i) => [0, 1, 3][i % 3]!],
    ['the last class empty', 3, (i) => i % 2],
    ['the first class empty', 3, (i) => 1 + (i % 2)],
    ['one row in a class', 3, (i) => (i === 7 ? 2 : i % 2)],
  ];
  const emptied = async (
    d: number,
    [, classes, label]: (typeof labels)[number],
    method: MethodParameters,
  ) => {
    const labellings = [turns(60, classes, label)];
    await check({ rows: around(60, d, 3), components: Math.min(d, classes - 1), method, labellings });
  };
  it('are right with classes without rows', async () => {
    for (const given of labels.slice(0, 2)) await emptied(3, given, lda(0.1));
  });
  it.each(labels)('are right with %s', { tags: ['long'] }, async (...given) => {
    for (const method of [dca(0.1), lda(0.1), dca(0.1, 0.05)]) await emptied(6, given, method);
  });

  it('are right with a constant feature and a ridge, and refused without one', async () => {
    const rows = around(60, 2, 2).map((row) => [0.25, ...row]);
    const given = { rows, components: 1, labellings: [turns(60, 2)] };
    for (const ridge of [1, 1e-6]) {
      const { result } = await check({ ...given, method: dca(ridge) });
      expect(Math.abs(result.vectors[0]![0]!)).toBeLessThan(2 ** -20);
    }
    for (const method of [dca(0), lda(0)]) {
      await expect(run(settingOf({ ...given, method }))).rejects.toMatchObject({
        code: 'ERR_NOT_POSITIVE_DEFINITE',
      });
    }
  });

  it('are right with equal features and a ridge, and refused without one', async () => {
    const rows = around(60, 2, 2).map((row) => [...row, row[1]!]);
    const given = { rows, components: 1, labellings: [turns(60, 2)] };
    await check({ ...given, method: dca(0.01) });
    await expect(run(settingOf({ ...given, method: dca(0) }))).rejects.toMatchObject({
      code: 'ERR_NOT_POSITIVE_DEFINITE',
    });
  });

  it('are right with features of very different spread', async () => {
    const rows = around(60, 4, 3).map((row) => row.map((value, i) => value / 4 ** i));
    await check({ rows, components: 2, method: dca(1e-6), labellings: [turns(60, 3)] });
  });

  each<[number, MethodParameters, number]>(
    [[3, lda(0.1), 3]],
    [
      [2, dca(0.1), 5],
      [3, dca(0.1), 5],
      [3, lda(0.1), 5],
      [2, dca(0.1, 0.05), 5],
      [4, dca(0.1, 0, 'book'), 5],
    ],
  )(
    'give %i classes with equal means zero eigenvalues and unit vectors: %j of %i features',
    async (classes, method, d) => {
      const rows = around(20, d, 1).flatMap((row) => new Array<number[]>(classes).fill(row));
      const labellings = [turns(rows.length, classes)];
      const { result } = await check({ rows, components: classes - 1, method, labellings });
      if (method.kind === 'lda') expect(result.eigenvalues).toEqual([0, 0]);
    },
  );

  it('are right with all rows equal', async () => {
    const rows = new Array<number[]>(10).fill([0.5, -0.25, 0]);
    await check({ rows, components: 2, method: dca(0.1), labellings: [turns(10, 3)] });
  });

  it('are right with fewer rows than features and a ridge, and refused without one', async () => {
    const given = { rows: around(4, 5, 2), components: 1, labellings: [turns(4, 2)] };
    await check({ ...given, method: lda(0.1) });
    await expect(run(settingOf({ ...given, method: dca(0) }))).rejects.toMatchObject({
      code: 'ERR_NOT_POSITIVE_DEFINITE',
    });
  });

  it('are right for the coarsest and the finest numbers', async () => {
    const rows = around(12, 3, 2);
    const given = { rows, components: 1, labellings: [turns(12, 2)] };
    for (const size of [
      { fractionBits: 2, maximumOwners: 3, maximumSamplesPerOwner: 4 },
      { fractionBits: 20, maximumOwners: 100, maximumSamplesPerOwner: 1_000_000 },
    ]) {
      await check({ ...given, ...size, method: dca(0.25, 0.5) });
    }
  });

  it('are right for as much scatter as there can be', async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => [i % 2 ? 1 : -1, i % 3 ? 1 : -1]);
    await check({ rows, components: 1, method: dca(0), labellings: [turns(2000, 2)] });
  });
});

describe('refusals', () => {
  const given = settingOf(ordinary(2, 3, dca(0.1), 2, 12));

  it('are of another number of owners than was verified, of too few, and of no rows', async () => {
    const none = settingOf({ ...ordinary(2, 3, dca(0.1), 2, 0), d: 2 });
    for (const [setting, name, code] of [
      [{ ...given, garbler: { ...given.garbler, verifiedOwners: 4 } }, 'CodedError', 'ERR_OWNER_COUNT'],
      [{ ...given, program: { ...given.program, minimumOwners: 4 } }, 'CodedError', 'ERR_MINIMUM_OWNERS'],
      [none, 'CodedError', 'ERR_NO_SAMPLES'],
    ] as const) {
      await expect(run(setting)).rejects.toMatchObject({ name, code });
    }
  });

  it.each([0, 1, 2])('are of rows that all are of class %i', async (label) => {
    const one = { ...ordinary(2, 3, dca(0.1)), labellings: [turns(90, 3, () => label)] };
    await expect(run(settingOf(one))).rejects.toMatchObject({ code: 'ERR_SINGLE_CLASS' });
  });

  it('reveal the first reason and nothing else', async () => {
    const outputs = ['mean', 'trace', 'sampleCount'] as const;
    const seenBy = async (setting: typeof given): Promise<number[]> => {
      const session = new ClearSession();
      const reveal = session.reveal.bind(session);
      let seen: Uint8Array[] = [];
      session.reveal = async (wires) => {
        seen = await reveal(wires);
        return seen;
      };
      const { task, program, garbler, evaluator } = setting;
      await runProgram(session, task, { ...program, outputs }, { garbler, evaluator }).catch(() => undefined);
      return seen.flatMap((bits) => [...bits]);
    };
    expect((await seenBy(given)).slice(0, 6)).toContain(1);
    expect((await seenBy(given)).slice(5)).toContain(1);
    const single = { ...ordinary(2, 3, dca(0.1)), labellings: [turns(90, 3, () => 1)] };
    const singular = { ...ordinary(2, 3, dca(0)), rows: new Array<number[]>(90).fill([0.5, 0.5]) };
    for (const [setting, held] of [
      [{ ...given, garbler: { ...given.garbler, verifiedOwners: 4 } }, 0],
      [{ ...given, program: { ...given.program, minimumOwners: 4 } }, 1],
      [settingOf(single), 3],
      [settingOf(singular), 4],
    ] as const) {
      const seen = await seenBy(setting);
      expect(seen.slice(0, held)).toEqual(new Array(held).fill(1));
      expect(seen.slice(held)).not.toContain(1);
    }
  });
});

describe('declared outputs', () => {
  it('come as declared', async () => {
    const given = settingOf(ordinary(2, 3, dca(0.1)));
    const outputs: readonly Output[] = ['mean', 'trace', 'sampleCount', 'classCounts'];
    const program = { ...given.program, outputs };
    const result = await run({ ...given, program });
    const expected = decompose(program, given.statistics);
    expect(result.sampleCount).toBe(90);
    expect(result.classCounts).toEqual(expected.classCounts);
    expect(Math.abs(result.trace! - expected.trace!)).toBeLessThan(2 ** -23);
    for (const [i, mean] of expected.mean!.entries()) {
      expect(Math.abs(result.mean![i]! - mean)).toBeLessThan(2 ** -23);
    }
    const keys = Object.keys(await run(given));
    expect(keys).toEqual(['kind', 'vectors', 'eigenvalues', 'converged']);
  });
});

describe('garbled', () => {
  it('gives the evaluator what the clear program gives, and the garbler nothing', async () => {
    await checkGarbled(settingOf(ordinary(2, 2, dca(0.1), 1, 12)));
  });
});

describe('AND gates', { tags: ['long'] }, () => {
  it('are these', async () => {
    const table: Record<string, string> = {};
    const cases: readonly (readonly [string, number, number, MethodParameters])[] = [
      ['pima', 8, 2, dca(1)],
      ['german', 24, 2, dca(1)],
      ['ionosphere', 34, 2, dca(1)],
      ['ionosphere, lda', 34, 2, lda(1)],
      ['50 features, 3 classes', 50, 3, dca(1)],
    ];
    for (const [name, d, classes, method] of cases) {
      const { task, program } = settingOf({
        rows: [],
        d,
        components: classes - 1,
        method,
        labellings: [turns(0, classes)],
        maximumOwners: 16,
        maximumSamplesPerOwner: 1000,
      });
      const session = new CountingSession(new CountingGates());
      await runProgram(session, task, program, {});
      table[name] = `${session.gates.andGates} gates, ${session.gates.batches} batches`;
    }
    expect(table).toMatchInlineSnapshot(`
      {
        "50 features, 3 classes": "32754294 gates, 119345 batches",
        "german": "4537373 gates, 35818 batches",
        "ionosphere": "10162107 gates, 55236 batches",
        "ionosphere, lda": "10162239 gates, 55243 batches",
        "pima": "567784 gates, 12378 batches",
      }
    `);
  });
});
