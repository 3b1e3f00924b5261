/** The data user of a PCA by `rotated`: its matrix M, the vectors and the result, against the simulator of docs/arguments/rotated.md. */

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
import { drawnStatistics, omitsSmall, smallTask } from './inputs.ts';
import { type Doubles, doubles, orthonormal, quadratic, sizeOf, squares } from './matrices.ts';
import { type Features, named, type Planted, party } from './party.ts';
import { type RotatedView, realRotated, simulatedRotated } from './rotated-view.ts';

const FEATURES = 4;
const COMPONENTS = 2;
const NOISE = 2 ** -36;
const FLOOD = 2 ** -33;

/** A view, and the rows that somebody looks for in it. */
interface View extends RotatedView {
  readonly statistics: Statistics;
}

export const rotatedDataUser = party({
  id: 'rotated-data-user',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-7', 'S-8', 'S-53', 'S-56'],
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
  open: (scene) => smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'rotated' }),
  async real(small, draws, planted): Promise<View> {
    const statistics = drawnStatistics(small, draws.of('rows'));
    const own = draws.of('run');
    const view = await realRotated(small, statistics, own, (secrets, parameters) =>
      spoilt(secrets, parameters, own.of('leak'), planted),
    );
    return { ...view, statistics };
  },
  async simulated(small, draws) {
    const statistics = drawnStatistics(small, draws.of('rows'));
    return { ...(await simulatedRotated(small, statistics, draws.of('run'))), statistics };
  },
  /** The values of a view, jointly with the result, by somebody who knows T. */
  features({ task }, { statistics, ...view }) {
    const { rotationBits: f, maskBits } = rotatedParameters(task);
    const T = wholeScatter(statistics);
    const { M, own, pairs, noise, noiseBits, ofTrace } = scatterSeen(view.upper, T, { f, noise: NOISE });
    const eigenNoise = own.values.map((value, i) => (value - pairs.values[i]!) / noise);
    const digits = (name: string, bit: number): Features =>
      named(
        [0, 1].map((e) => digitsOf(view.upper[e]!, bit)),
        (e) => `${name} of entry 1${e + 1}`,
      );
    const flood = floodOf(view.answer, f, pairs);
    const products = productsOf(view.answer, f);
    return {
      ...entriesOf(M, T),
      "M in T's leading direction": quadratic(M, pairs.vectors[0]!) / pairs.values[0]!,
      'inner product of M and T': dot(M.flat(), T.flat().map(Number)) / squares(pairs.values),
      'overlap of eigenvectors of M and of T': overlap(own, pairs),
      ...named(eigenNoise, (i) => `noise of eigenvalue ${i + 1}`),
      'noise of the trace': ofTrace,
      'size of the noise': sizeOf(eigenNoise),
      ...digits('lowest 16 bits', 0),
      ...digits('bits below the noise', maskBits),
      ...digits('bits in the noise', noiseBits - 16),
      ...named(
        flood.flat(),
        (e) => `flood on entry ${1 + (e % FEATURES)} of vector ${1 + Math.floor(e / FEATURES)}`,
      ),
      'size of the flood': sizeOf(flood.flat()),
      ...Object.fromEntries(products),
      'size of the flood on inner products': sizeOf(products.map(([, x]) => x)),
      ...named(view.result.eigenvalues, (v) => `eigenvalue ${v + 1} of the result`),
    };
  },
});

/** The values that M shows of T to somebody who has both: their eigenpairs, the unit of the noise, and the noise of the trace in deviations. */
export function scatterSeen(
  upper: readonly bigint[],
  T: Matrix,
  { f, noise: share }: { readonly f: number; readonly noise: number },
) {
  const trace = traceOf(T);
  const noise = Number(trace) * share;
  const matrix = symmetricMatrix(upper, T.length);
  const M = doubles(matrix, 2 * f);
  const exactTrace = traceOf(matrix) - (trace << BigInt(2 * f));
  return {
    ...{ M, noise },
    own: symmetricEigen(M),
    pairs: symmetricEigen(doubles(T, 0)),
    noiseBits: Math.floor(Math.log2(noise)) + 2 * f,
    ofTrace: Number(exactTrace) / 2 ** (2 * f) / (noise * Math.sqrt(2 * T.length)),
  };
}

/** Entries of M as shares of T's trace. */
export function entriesOf(M: Doubles, T: Matrix): Features {
  const trace = Number(traceOf(T));
  return Object.fromEntries(
    upperEntries(T.length, (i, j) => [`entry ${i + 1}${j + 1} of M`, M[i]![j]! / trace]),
  );
}

/** Sixteen bits of an entry. */
export const digitsOf = (x: bigint, bit: number) => Number(BigInt.asUintN(16, x >> BigInt(bit)));

/** The number of eigenvectors that are the same. */
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

/** By name, lengths and inner products of the answered vectors, which were orthonormal, in the same unit: what noise on M moves is not in them. */
function productsOf(answer: Matrix, f: number): [string, number][] {
  const columns = transpose(answer);
  const unit = 2 ** (-4 * f) / FLOOD;
  const one = 1n << BigInt(4 * f);
  return upperEntries(columns.length, (v, w) => {
    const product = columns[v]!.reduce((sum, x, i) => sum + x * columns[w]![i]!, 0n);
    const name = `flood on the inner product of vectors ${v + 1} and ${w + 1}`;
    return [name, Number(v === w ? product - one : product) * unit];
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
