/** Sketches with a floor: results beside the reference with the same noise and beside the exact one, with Ω of an earlier result, and what is refused. */
import { ofKind } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { describe, expect, it } from 'vitest';
import { rotated } from '../../src/rotated.ts';
import { gridded } from './floors.ts';
import { AT_ONCE } from './run.ts';
import {
  distanceToSketch,
  type GivenSketch,
  resultOf,
  runSketch,
  type SketchSetting,
  signsOf,
  sketchSetting,
} from './sketches.ts';
import { countingTrips } from './watched.ts';

const sketched = (
  { rows, task }: ReturnType<typeof gridded>,
  [columns, components]: readonly [number, number],
): GivenSketch => ({
  ...{ rows, columns, components },
  task: {
    ...task,
    features: task.features.map((feature) => ({ ...feature, twoValued: false })),
    ...{ maximumSamplesPerOwner: 128, maximumOwners: 4, twoParty: 'rotated' },
  },
});

/** Rows with grains of each kind. */
const given = (d: number, sizes: readonly [number, number], rows = 400): GivenSketch => {
  const grains = Array.from({ length: d }, (_, i) => ([2, 0.25, 'cell'] as const)[i % 3]!);
  return sketched(gridded(rows, grains, 5), sizes);
};

function expectNear(setting: SketchSetting, result: Awaited<ReturnType<typeof resultOf>>): void {
  const { eigenvalueError, sine, expected } = distanceToSketch(setting, result);
  // As without a floor, and what is cut off eigenvalues.
  expect(eigenvalueError).toBeLessThan(6e-4 + 0.6 / expected.eigenvalues[0]!);
  expect(sine).toBeLessThan(6e-3);
  expect(result.mean).toEqual(expected.mean);
}

describe('a sketch with a floor', () => {
  it('gives the components of the reference with the same noise, whose mean is that of noised sums', async () => {
    const setting = sketchSetting(given(12, [6, 2]));
    const result = await resultOf(setting);
    expectNear(setting, result);
    const { program, statistics, signs } = setting;
    const { floor, ...without } = program;
    const exact = decompose(without, statistics, signs);
    expect(result.mean).not.toEqual(exact.mean);
    // Noise of both servers moves an eigenvalue by its norm at most, and a raise makes a sketch nearer to what it is of.
    for (const [j, value] of result.eigenvalues.entries())
      expect(Math.abs(value - exact.eigenvalues[j]!)).toBeLessThan(floor!.norm + 0.1 * exact.eigenvalues[0]!);
  });

  describe('and one of an owner, of whose rows the task says too fine grains', () => {
    const coarse = (size: number, rows: number, own: readonly number[]): GivenSketch => {
      const made = gridded(rows, new Array<number>(12).fill(2), 5);
      const features = made.task.features.map((feature) => ({ ...feature, grain: 'cell' as const }));
      const small = made.rows.map((row) => row.map((value) => size * value));
      return { ...sketched({ rows: small, task: { ...made.task, features } }, [6, 2]), own };
    };

    it('gives the components of the reference with both', async () => {
      const own = new Array<number>(12).fill(2);
      const setting = sketchSetting(coarse(1, 400, own));
      const result = await resultOf(setting);
      expectNear(setting, result);
      const without = sketchSetting(coarse(1, 400, []));
      const { sine } = distanceToSketch(without, result);
      expect(sine).toBeGreaterThan(6e-3);
    });

    it('is refused where it outweighs the rows, and the CSP notices nothing', async () => {
      const { user, csp } = await runSketch(sketchSetting(coarse(0.01, 40, new Array<number>(12).fill(2))));
      expect(csp.status).toBe('fulfilled');
      expect(user).toMatchObject({ status: 'rejected', reason: { code: 'ERR_STATISTICS_INVALID' } });
    });
  });

  it('takes vectors of an earlier result in Ω', async () => {
    const [columns, d] = [7, 12];
    const vector = Array.from({ length: d }, (_, i) => Math.cos(i));
    const length = Math.hypot(...vector);
    const signs = signsOf(d * columns).map((sign, at) =>
      at % columns === 0
        ? Math.round((Math.sqrt(d) * 256 * vector[Math.floor(at / columns)]!) / length)
        : 256 * sign,
    );
    const own = given(d, [columns, 2]);
    const sketch = { columns, refine: 'A'.repeat(43) as never };
    const setting = sketchSetting({ ...own, signs, task: { ...own.task, sketch } });
    expectNear(setting, await resultOf(setting));
  });

  it('is that over products from lattices, with two trips more', { tags: ['long'] }, async () => {
    const setting = sketchSetting(given(10, [5, 1]));
    const { task, program, garbler, evaluator } = setting;
    const { channels, trips } = countingTrips();
    const [, result] = await Promise.all([
      rotated.runCsp(channels[0], { task, program }, { ...garbler, markAnswered: async () => undefined }),
      rotated.runDataUser(channels[1], { task, program }, { ...evaluator, pace: AT_ONCE }),
    ]);
    expectNear(setting, ofKind('components', result));
    expect(trips()).toBe(20);
  });

  it('refuses components of which noise leaves too few, and the CSP notices nothing', async () => {
    // Two patterns in ten two-valued features: all else is noise.
    const { rows, task } = gridded(400, new Array<number>(10).fill(2), 5);
    const copied = rows.map((row) => row.map((_, i) => row[i % 2]!));
    const setting = sketchSetting(sketched({ rows: copied, task }, [6, 2]));
    const { user, csp } = await runSketch(setting);
    expect(csp.status).toBe('fulfilled');
    expect(user).toMatchObject({ status: 'rejected', reason: { code: 'ERR_FULL_RANK' } });
  });
});
