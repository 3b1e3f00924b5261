/** The data user of a PCA by `rotated`: its matrix M, the vectors and the result, against the simulator of docs/rotated.md. */

import { type EigenPairs, symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  type Matrix,
  type RotatedParameters,
  type RotationSecrets,
  rotatedParameters,
  symmetricMatrix,
  traceOf,
  transpose,
  upperEntries,
} from '@eigenveil/two-party/insides';
import { determinant, Matrix as RealMatrix } from 'ml-matrix';
import { dot } from '../../recognition/alignment.ts';
import type { Draws } from '../draws.ts';
import { wholeScatter } from '../whole-scatter.ts';
import type { Game } from './game.ts';
import { drawnStatistics, omitsSmall, type SmallTask, smallTask } from './inputs.ts';
import { doubles, orthonormal, quadratic, sizeOf, squares } from './matrices.ts';
import { type RotatedView, realRotated, simulatedRotated } from './rotated-view.ts';
import type { Planted } from './sides.ts';

const FEATURES = 4;
const COMPONENTS = 2;
const NOISE = 2 ** -36;
const FLOOD = 2 ** -33;

const entries = upperEntries(FEATURES, (i, j) => `${i + 1}${j + 1}`);
const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const VALUES = [
  ...entries.map((e) => `entry ${e} of M`),
  "M in T's leading direction",
  'inner product of M and T',
  'overlap of eigenvectors of M and of T',
  ...range(FEATURES).map((i) => `noise of eigenvalue ${i}`),
  'noise of the trace',
  'size of the noise',
  ...['lowest 16 bits', 'bits below the noise', 'bits in the noise'].flatMap((what) =>
    ['11', '12'].map((e) => `${what} of entry ${e}`),
  ),
  ...range(COMPONENTS).flatMap((v) => range(FEATURES).map((i) => `flood on entry ${i} of vector ${v}`)),
  'size of the flood',
  ...upperEntries(COMPONENTS, (v, w) => `flood on the inner product of vectors ${v + 1} and ${w + 1}`),
  'size of the flood on inner products',
  ...range(COMPONENTS).map((v) => `eigenvalue ${v} of the result`),
];

export const rotatedDataUser: Game = {
  id: 'rotated-data-user',
  title: "The data user's view of a PCA by `rotated` is what the spectrum and the result tell.",
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-7', 'S-8', 'S-53', 'S-56'],
  sees: 'The rotated matrix M to its last bit, the answer before it is scaled, and the result, of 4 features and 2 components; products are dealt by a trusted dealer.',
  knows: 'The rows themselves, so T: it tries to find them in the view.',
  simulator: 'the number of rows, the spectrum with its noise, and an answer to the directions asked for',
  values: VALUES,
  leaks: [
    {
      id: 'identity',
      title: 'the rotation is mixed with the identity.',
      size: 'share of the identity in the rotation',
      sizes: [0.2, 0.3, 0.4, 0.5, 0.7, 1],
    },
    {
      id: 'noise',
      title: 'the noise on M is smaller than it should be.',
      size: 'bits by which the noise is smaller',
      sizes: [0.25, 0.5, 1, 2, 4],
    },
    {
      id: 'flood',
      title: 'the flood on the vectors is smaller than it should be.',
      size: 'bits by which the flood is smaller',
      sizes: [0.25, 0.5, 1, 2, 4],
    },
    {
      id: 'mask',
      title: 'entries of M have no mask.',
      size: 'share of entries without a mask',
      sizes: [0.05, 0.1, 0.2, 0.4, 1],
    },
  ],
  runs: { quick: 40, full: 100 },
  controlRuns: 24,
  repetitions: 20,
  scenes: ['pima', 'breast_cancer'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  open(scene) {
    const small = smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'rotated' });
    const valuesOf = async (statistics: Statistics, view: Promise<RotatedView>) =>
      summedUp(small, statistics, await view);
    return {
      real(draws, planted) {
        const statistics = drawnStatistics(small, draws.of('rows'));
        const own = draws.of('run');
        return valuesOf(
          statistics,
          realRotated(small, statistics, own, (secrets, parameters) =>
            spoilt(secrets, parameters, own.of('leak'), planted),
          ),
        );
      },
      simulated(draws) {
        const statistics = drawnStatistics(small, draws.of('rows'));
        return valuesOf(statistics, simulatedRotated(small, statistics, draws.of('run')));
      },
    };
  },
};

/** The values of a view, jointly with the result, by somebody who knows T. */
function summedUp({ task }: SmallTask, statistics: Statistics, view: RotatedView): number[] {
  const { rotationBits: f, maskBits } = rotatedParameters(task);
  const T = wholeScatter(statistics);
  const trace = traceOf(T);
  const noise = Number(trace) * NOISE;
  const pairs = symmetricEigen(T.map((row) => row.map(Number)));
  const M = doubles(symmetricMatrix(view.upper, FEATURES), 2 * f);
  const own = symmetricEigen(M);
  const eigenNoise = own.values.map((value, i) => (value - pairs.values[i]!) / noise);
  const exactTrace = traceOf(symmetricMatrix(view.upper, FEATURES)) - (trace << BigInt(2 * f));
  const noiseBits = Math.floor(Math.log2(noise)) + 2 * f;
  const digits = (e: number, bit: number) => Number(BigInt.asUintN(16, view.upper[e]! >> BigInt(bit)));
  const flood = floodOf(view.answer, f, pairs);
  const products = productsOf(view.answer, f);
  return [
    ...upperEntries(FEATURES, (i, j) => M[i]![j]! / Number(trace)),
    quadratic(M, pairs.vectors[0]!) / pairs.values[0]!,
    dot(M.flat(), T.flat().map(Number)) / squares(pairs.values),
    overlap(own, pairs),
    ...eigenNoise,
    Number(exactTrace) / 2 ** (2 * f) / (noise * Math.sqrt(2 * FEATURES)),
    sizeOf(eigenNoise),
    ...[0, maskBits, noiseBits - 16].flatMap((bit) => [digits(0, bit), digits(1, bit)]),
    ...flood.flat(),
    sizeOf(flood.flat()),
    ...products,
    sizeOf(products),
    ...view.result.eigenvalues,
  ];
}

/** Of eigenvectors: how many are the same. */
export const overlap = (own: EigenPairs, other: EigenPairs) =>
  own.vectors.reduce((sum, vector, i) => sum + dot(vector, other.vectors[i]!) ** 2, 0);

/** By how much each answered vector differs from T's eigenvector, in deviations of the flood. */
function floodOf(answer: Matrix, f: number, { vectors }: EigenPairs): number[][] {
  return transpose(answer).map((column, v) => {
    const own = column.map((entry) => Number(entry) * 2 ** (-2 * f));
    const side = Math.sign(dot(own, vectors[v]!));
    return own.map((x, i) => (x - side * vectors[v]![i]!) / FLOOD);
  });
}

/** Lengths and inner products of the answered vectors, which were orthonormal, in the same unit: what noise on M moves is not in them. */
function productsOf(answer: Matrix, f: number): number[] {
  const columns = transpose(answer);
  const unit = 2 ** (-4 * f) / FLOOD;
  const one = 1n << BigInt(4 * f);
  return upperEntries(columns.length, (v, w) => {
    const product = columns[v]!.reduce((sum, x, i) => sum + x * columns[w]![i]!, 0n);
    return Number(v === w ? product - one : product) * unit;
  });
}

function spoilt(
  secrets: RotationSecrets,
  { rotationBits }: RotatedParameters,
  draws: Draws,
  planted: Planted | undefined,
): RotationSecrets {
  switch (planted?.leak) {
    case 'identity':
      return { ...secrets, rotation: mixedWithIdentity(secrets.rotation, rotationBits, planted.size) };
    case 'noise':
      return { ...secrets, noise: smaller([secrets.noise], planted.size)[0]! };
    case 'flood':
      return { ...secrets, flood: smaller(secrets.flood, planted.size) };
    case 'mask':
      return { ...secrets, mask: secrets.mask.map((entry) => (draws.uniform() < planted.size ? 0n : entry)) };
    default:
      return secrets;
  }
}

/** Entries divided by 2^bits. */
export function smaller(matrix: Matrix, bits: number): bigint[][] {
  const factor = BigInt(Math.round(2 ** (30 - bits)));
  return matrix.map((row) => row.map((entry) => (entry * factor) >> 30n));
}

/**
 * Gram's and Schmidt's of (1 − share)·P + share·I, in doubles: its last bits are zeros, which the noise hides. P is made proper first, which M does not show:
 * the sum would be singular on the way from a reflection to I.
 */
export function mixedWithIdentity(rotation: Matrix, bits: number, share: number): bigint[][] {
  const P = doubles(rotation, bits);
  const side = Math.sign(determinant(new RealMatrix(P)));
  const mixed = P.map((row, i) =>
    row.map((x, j) => (1 - share) * x * (i === 0 ? side : 1) + (i === j ? share : 0)),
  );
  const largest = (1n << BigInt(bits)) - 1n; // 1 itself takes a bit more than an entry has
  return orthonormal(mixed).map((row) =>
    row.map((x) => {
      const entry = BigInt(Math.round(x * 2 ** 52)) << BigInt(bits - 52);
      return entry > largest ? largest : entry;
    }),
  );
}
