/** Programs at the corners of what tasks may have: every step stays within its bounds, and numbers that do not fit are flagged. */
import type { MethodParameters, Output } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { type Program, programOf, type StatisticsTask } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { checkGarbled } from '../../src/check-task.ts';
import { CountingGates, CountingSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { taskOf } from '../shapes.ts';
import { run } from './check.ts';
import { settingOf } from './data.ts';

const LDA: MethodParameters = { kind: 'lda', ridge: 1 };
const RIDGED: MethodParameters = { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0.5 };

interface Corner {
  readonly method: MethodParameters;
  readonly d: number;
  readonly components: number;
  readonly classes: readonly number[];
  readonly fractionBits: number;
  readonly outputs: readonly Output[];
  /** Of features of two values and of cells. */
  readonly hasFloor?: boolean;
}

const CORNERS: readonly Corner[] = [
  {
    method: { kind: 'pca' },
    d: 100,
    components: 1,
    classes: [],
    fractionBits: 20,
    outputs: ['mean', 'trace', 'sampleCount', 'spectrum'],
  },
  {
    method: { kind: 'pca' },
    d: 100,
    components: 100,
    classes: [],
    fractionBits: 20,
    outputs: ['mean', 'trace', 'sampleCount', 'classCounts'],
  },
  {
    method: LDA,
    d: 100,
    components: 1,
    classes: [100],
    fractionBits: 20,
    outputs: ['mean', 'trace', 'sampleCount', 'classCounts'],
  },
  {
    method: { kind: 'mdr', ridge: 1 },
    d: 100,
    components: 1,
    classes: [100, 100],
    fractionBits: 20,
    outputs: ['mean'],
  },
  { method: RIDGED, d: 60, components: 1, classes: [2], fractionBits: 20, outputs: [] },
  {
    method: { kind: 'pca', scale: 'correlation' },
    d: 100,
    components: 1,
    classes: [],
    fractionBits: 20,
    outputs: ['mean', 'variances', 'spectrum'],
    hasFloor: true,
  },
  {
    method: LDA,
    d: 100,
    components: 1,
    classes: [100],
    fractionBits: 20,
    outputs: ['mean', 'trace'],
    hasFloor: true,
  },
  {
    method: { kind: 'pcr', ridge: 1e12 },
    d: 100,
    components: 20,
    classes: [],
    fractionBits: 20,
    outputs: ['mean', 'trace', 'sampleCount'],
    hasFloor: true,
  },
];

function cornerTask(corner: Corner): StatisticsTask {
  const task = taskOf(corner);
  const features = task.features.map((feature, i) => ({ ...feature, grain: i % 2 ? 2 : ('cell' as const) }));
  return {
    ...task,
    ...(corner.hasFloor && { features, exact: false, releases: 2 }),
    fractionBits: corner.fractionBits,
    // Together just below 2^53 rows.
    maximumOwners: 10_000_000,
    maximumSamplesPerOwner: 900_000_000,
    keyBits: 4096,
  };
}

describe('the largest tasks', () => {
  it.each(CORNERS)(
    'are computed in steps that fit: $method.kind, $d features, $components components, a floor $hasFloor',
    { tags: ['long'] },
    async (corner) => {
      const { method, d, components, classes, fractionBits, outputs } = corner;
      const program: Program = {
        method,
        featureCount: d,
        classCounts: classes,
        components,
        fractionBits,
        outputs,
        minimumOwners: 2,
        allowFullRank: components === d,
        twoValued: 0,
      };
      const session = new CountingSession(new CountingGates());
      await runProgram(session, cornerTask(corner), program, {});
      expect(session.gates.andGates).toBeGreaterThan(1e6);
    },
  );
});

describe('a signal ridge far above the noise', () => {
  const rows = Array.from({ length: 24 }, (_, i) => [Math.sin(i), Math.cos(3 * i)]);
  const labels = rows.map((_, i) => i % 2);
  it.each([1000, 2_805_837, 16_893_911, 36_464_771])('is right or flagged: %d', async (signalRidge) => {
    const method: MethodParameters = { kind: 'dca', form: 'standard', ridge: 1, signalRidge };
    const setting = settingOf({ rows, components: 1, method, labellings: [{ classes: 2, labels }] });
    const { program, statistics } = setting;
    const { eigenvalues, vectors, converged } = await run(setting);
    const expected = decompose(program, statistics);
    const right = Math.abs(eigenvalues[0]! / expected.eigenvalues[0]! - 1) < 1e-3;
    expect(vectors[0]).toHaveLength(2);
    expect(right || converged![0] === false).toBe(true);
  });
});

const checked = (corner: Corner) => {
  const { outputs, components } = corner;
  const task = cornerTask(corner);
  const program = programOf({ ...task, components, outputs, minimumOwners: 2, allowFullRank: false });
  return () => checkGarbled(task, program);
};

it.each([
  [{ kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 }, [2]],
  [LDA, [2]],
  [{ kind: 'mdr', ridge: 1 }, [2, 2]],
] as const)('refuses the spectrum of %o, which its circuits do not compute', (method, classes) => {
  const outputs = ['sampleCount', 'spectrum', 'classCounts'] as const;
  const corner = { method, d: 4, components: 1, classes, fractionBits: 14 };
  expect(checked({ ...corner, outputs })).toThrow(
    expect.objectContaining({
      code: 'ERR_PROGRAM_INVALID',
      message: expect.stringContaining('no spectrum'),
    }),
  );
  expect(checked({ ...corner, outputs: ['sampleCount', 'classCounts'] })).not.toThrow();
});

describe('a ridge that the statistics cannot tell from another', () => {
  const check = (ridge: number, fractionBits: number) => {
    const method: MethodParameters = { kind: 'lda', ridge };
    return checked({ method, d: 3, components: 1, classes: [2], fractionBits, outputs: [] });
  };
  it('is refused', () => {
    expect(check(0.1, 1)).toThrow(expect.objectContaining({ code: 'ERR_TASK_RANGE' }));
    expect(check(0.01, 2)).toThrow(expect.objectContaining({ code: 'ERR_TASK_RANGE' }));
    expect(check(1e-9, 14)).toThrow(expect.objectContaining({ code: 'ERR_TASK_RANGE' }));
    for (const [ridge, bits] of [
      [0, 1],
      [0.25, 1],
      [1, 1],
      [0.01, 14],
      [1e-4, 14],
    ] as const)
      expect(check(ridge, bits)).not.toThrow();
  });
});
