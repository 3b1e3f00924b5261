/** A data user of `rotated` that puts its own into products: the noise scaled away, and a matrix of its own in place of the class means of a pencil. */

import { pencil, symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { programOf } from '@eigenveil/task';
import {
  addMatrices,
  inRing,
  type Matrix,
  PCA_PRODUCTS,
  type PencilParameters,
  pencilParameters,
  pencilProducts,
  rotatedParameters,
  times,
  traceOf,
  transpose,
  transposed,
  type UserFactor,
} from '@eigenveil/two-party/insides';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { wholeScatter } from '../../whole-scatter.ts';
import { RIDGE, tooSmall, withoutClasses } from '../in-process/small-task.ts';
import { type Deviation, drawnTasks, runDeviating } from './products.ts';

/** The factors of the noise, less the trace; all other products are as they are. */
function withoutNoise({ product, factor }: UserFactor, trace: bigint, ringBits: number): UserFactor {
  if (product !== PCA_PRODUCTS.noise) return { product, factor };
  return {
    product,
    factor: inRing(
      factor.map((row) => row.map((entry) => entry - trace)),
      ringBits,
    ),
  };
}

/** The noise is 2^−36 of the trace. A spectrum that is nearer to the exact one by this factor has none. */
const NO_NOISE = 2 ** -42;

const COMMON = {
  kind: 'deviation',
  attacker: 'data user',
  secret: 'pooled statistics',
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
} as const satisfies Partial<Unworded>;

const noiseScale: Unworded = {
  ...COMMON,
  id: 'deviation-noise-scale',
  expectation: 'admitted',
  claims: ['S-46'],
  async run(setting) {
    const trials = { attack: [] as number[], control: [] as number[] };
    const errors = { attack: [] as number[], control: [] as number[] };
    for (const drawn of drawnTasks(setting, setting.effort === 'quick' ? 2 : 20, 'pca')) {
      const { task, statistics } = drawn;
      const { ringBits } = rotatedParameters(task);
      const trace = traceOf(wholeScatter(statistics));
      const { A } = pencil({ ...programOf(task), minimumOwners: 1 }, statistics);
      const exact = A.reduce((sum, row, i) => sum + row[i]!, 0);
      // The norm is of the eigenvalues' squares, which is what all entries add up to: no eigenvectors and no other rounding.
      const norm = Math.hypot(...A.flat());
      for (const [side, deviates] of [
        ['attack', true],
        ['control', false],
      ] as const) {
        const { user } = await runDeviating(drawn, PCA_PRODUCTS.matrix, {
          put: (factor) => (deviates ? withoutNoise(factor, trace, ringBits) : factor),
        });
        if (user.status === 'rejected') throw user.reason;
        const error = Math.abs(Math.hypot(...user.value.spectrum!) - norm) / exact;
        errors[side].push(error);
        trials[side].push(Number(error < NO_NOISE));
      }
    }
    const rms = (list: readonly number[]) => Math.hypot(...list) / Math.sqrt(list.length);
    return {
      kind: 'trials',
      ...trials,
      paired: true,
      baseline: 0,
      facts: {
        'noise left, over the trace': rms(errors.attack),
        'noise of who follows the protocol': rms(errors.control),
        'its scale, 2^-36': 2 ** -36,
      },
    };
  },
};

/** The noise on Y is 2^−46; what is left is of doubles, and far from what another matrix gives. */
const SAME_VALUES = 2 ** -20;

/** Squares of the singular values that C₁P makes of Z: of Zᵀ(T + ρQI)⁻¹Z, descending. */
function valuesOf(Z: readonly (readonly number[])[], statistics: Statistics, ridge: number): number[] {
  const { values, vectors } = symmetricEigen(
    wholeScatter(statistics).map((row, i) => row.map((entry, j) => Number(entry) + (i === j ? ridge : 0))),
  );
  const stretched = times(vectors, Z).map((row, i) => row.map((x) => x / Math.sqrt(values[i]!)));
  return symmetricEigen(times(transposed(stretched), stretched)).values;
}

/** A uniform matrix as large as the class means can be, d × groups, in the units of T's roots and of G as integers. */
function ownMatrix({ features: d, groups, contrastBits, group }: PencilParameters, T: Matrix, draws: Draws) {
  const most = Math.sqrt(Number(traceOf(T))) / d;
  const whole = Array.from({ length: d }, () =>
    Array.from({ length: groups }, () => Math.round(most * (draws.uniform() - 0.5))),
  );
  return {
    whole,
    integers: whole.map((row) => row.map((entry) => BigInt(entry) << BigInt(contrastBits - group.cut))),
  };
}

/**
 * It multiplies the CSP's class means by nothing, and so knows the CSP's share of G, which it takes from Z; what it sees is Y, as
 * columns.
 */
function inPlaceOfGroups(
  Z: Matrix | undefined,
  { columns, group, signal, openRing }: PencilParameters,
  onSignal: (Y: Matrix) => void,
): Deviation {
  const places = pencilProducts(columns);
  let share: Matrix = [];
  return {
    put({ product, factor }) {
      if (Z === undefined) return { product, factor };
      if (product === places.contrasts) return { product, factor: factor.map((row) => row.map(() => 0n)) };
      if (product !== places.groups) return { product, factor };
      return { product, factor: addMatrices(Z, share, signal.ring) };
    },
    see(product, got) {
      if (product === places.contrasts)
        share = got.map((row) => row.map((entry) => entry >> BigInt(group.cut)));
      if (product !== places.signal) return;
      const signed = got.map((row) => row.map((entry) => BigInt.asIntN(openRing, entry)));
      onSignal(columns > 1 ? signed : transpose(signed));
    },
  };
}

const ownGroups: Unworded = {
  ...COMMON,
  id: 'deviation-own-groups',
  expectation: 'admitted',
  claims: ['S-183'],
  scenes: ['iris', 'pima'],
  omits: withoutClasses,
  async run(setting) {
    const draws = new Draws(setting.seed).of('Z');
    const trials = { attack: [] as number[], control: [] as number[] };
    const errors = { attack: [] as number[], control: [] as number[] };
    const ends: Record<string, number> = {};
    for (const drawn of drawnTasks(setting, setting.effort === 'quick' ? 2 : 20, 'dca')) {
      const { task, statistics } = drawn;
      const program = programOf(task);
      const parameters = pencilParameters(task, program);
      const { columns, openBits } = parameters;
      const rows = statistics.labellings[0]!.reduce((sum, { M }) => sum + Number(M), 0);
      const { whole, integers } = ownMatrix(parameters, wholeScatter(statistics), draws);
      const expected = valuesOf(whole, statistics, RIDGE * rows * 4 ** task.fractionBits);
      for (const [side, Z] of [
        ['attack', integers],
        ['control', undefined],
      ] as const) {
        let seen: number[] = [];
        const deviation = inPlaceOfGroups(Z, parameters, (Y) => {
          const columnsOfY = Y.map((row) => row.map((entry) => Number(entry) * 2 ** -openBits));
          seen = symmetricEigen(times(columnsOfY, transposed(columnsOfY))).values;
        });
        const { csp } = await runDeviating(drawn, pencilProducts(columns).matrix, deviation);
        const error = Math.max(...expected.map((value, i) => Math.abs((seen[i] ?? 0) / value - 1)));
        errors[side].push(error);
        trials[side].push(Number(error < SAME_VALUES));
        if (Z) ends[csp] = (ends[csp] ?? 0) + 1;
      }
    }
    return {
      kind: 'trials',
      ...trials,
      paired: true,
      baseline: 0,
      facts: {
        'largest error of a value': Math.max(...errors.attack),
        'least difference of who follows the protocol': Math.min(...errors.control),
        ...Object.fromEntries(
          Object.entries(ends).map(([code, count]) => [`how the CSP ended: ${code}`, count]),
        ),
      },
    };
  },
};

export const ROTATING: readonly Unworded[] = [noiseScale, ownGroups];
