/** The data user of a discriminant method by `rotated`: M, C₁, Y, the vectors and the result, against the simulator of docs/rotated-pencils.md. */

import { generalisedEigen, symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  type PencilParameters,
  type PencilSecrets,
  symmetricMatrix,
  traceOf,
  upperEntries,
} from '@eigenveil/two-party/insides';
import { dot } from '../../recognition/alignment.ts';
import type { Scene } from '../scene.ts';
import { wholeScatter } from '../whole-scatter.ts';
import type { Game } from './game.ts';
import { drawnStatistics, labelOf, omitsSmall, RIDGE, type SmallTask, smallTask } from './inputs.ts';
import { type Doubles, doubles, quadratic, sizeOf, squares, times, transposed } from './matrices.ts';
import { groupsOf, type PencilView, parametersOf, realPencil, simulatedPencil } from './pencil-view.ts';
import { mixedWithIdentity, overlap, smaller } from './rotated-data-user.ts';
import type { Planted } from './sides.ts';

const FEATURES = 4;
/** More of three classes and four features take consent. */
const COMPONENTS = 1;
const MOST_CLASSES = 3;
const NOISE = 2 ** -46;
const FLOOD = 2 ** -40;

const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const VALUES = [
  ...upperEntries(FEATURES, (i, j) => `entry ${i + 1}${j + 1} of M`),
  "M in T's leading direction",
  'overlap of eigenvectors of M and of T',
  'noise of the trace of M',
  ...['lowest 16 bits', 'bits in the noise'].map((what) => `${what} of M`),
  ...range(FEATURES).map((i) => `entry ${i} of Y's first column`),
  'square of Y',
  'distance of C₁ᵀ Y from B⁻¹ G',
  'lowest 16 bits of Y',
  ...range(FEATURES).map((i) => `flood on entry ${i} of the vector`),
  'size of the flood',
  'eigenvalue of the result',
];

export const pencilDataUser: Game = {
  id: 'pencil-data-user',
  title:
    "The data user's view of a DCA by `rotated` is what both spectra, the classes' sizes and the result tell.",
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-7', 'S-8', 'S-53', 'S-166', 'S-168'],
  sees: 'M and Y to their last bits, the C₁ that it makes, the answer before it is scaled, and the result, of 4 features and 1 component; products are dealt by a trusted dealer.',
  knows: 'The rows themselves, so T and the means of classes: it tries to find them in the view.',
  simulator:
    'the numbers of rows by class, the spectra of the scatter matrix and of the pencil with their noise, and an answer to the directions asked for',
  values: VALUES,
  leaks: [
    {
      id: 'identity',
      title: 'the first rotation is mixed with the identity.',
      size: 'share of the identity in the first rotation',
      sizes: [0.3, 0.5, 0.7, 1],
    },
    {
      id: 'turn',
      title: 'the second rotation is mixed with the identity.',
      size: 'share of the identity in the second rotation',
      sizes: [0.3, 0.5, 0.7, 1],
    },
    {
      id: 'flood',
      title: 'the flood on the vectors is smaller than it should be.',
      size: 'bits by which the flood is smaller',
      sizes: [0.5, 1, 2, 4],
    },
  ],
  runs: { quick: 30, full: 60 },
  controlRuns: 32,
  repetitions: 10,
  scenes: ['iris', 'pima'],
  omits: (scene) =>
    omitsSmall(scene, FEATURES) ??
    (labelOf(scene, MOST_CLASSES) ? undefined : `no label of at most ${MOST_CLASSES} classes`),
  open(scene) {
    const small = smallPencil(scene);
    const valuesOf = async (statistics: Statistics, view: Promise<PencilView>) =>
      summedUp(small, statistics, await view);
    return {
      real(draws, planted) {
        const statistics = drawnStatistics(small, draws.of('rows'));
        const view = realPencil(small, statistics, draws.of('run'), (secrets, parameters) =>
          spoilt(secrets, parameters, planted),
        );
        return valuesOf(statistics, view);
      },
      simulated(draws) {
        const statistics = drawnStatistics(small, draws.of('rows'));
        return valuesOf(statistics, simulatedPencil(small, statistics, draws.of('run')));
      },
    };
  },
};

function smallPencil(scene: Scene): SmallTask {
  const label = labelOf(scene, MOST_CLASSES)!;
  return smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'rotated', label });
}

/** The values of a view, jointly with the result, by somebody who knows T and G. */
function summedUp(small: SmallTask, statistics: Statistics, view: PencilView): number[] {
  const parameters = parametersOf(small);
  const { rotationBits: f, maskBits, openBits, rootBits, vectorBits, contrastBits } = parameters;
  const T = wholeScatter(statistics);
  const trace = traceOf(T);
  const noise = Number(trace) * NOISE;
  const pairs = symmetricEigen(doubles(T, 0));
  const upper = symmetricMatrix(view.upper, FEATURES);
  const M = doubles(upper, 2 * f);
  const own = symmetricEigen(M);
  const exactTrace = traceOf(upper) - (trace << BigInt(2 * f));
  const noiseBits = Math.floor(Math.log2(noise)) + 2 * f;
  const digits = (x: bigint, bit: number) => Number(BigInt.asUintN(16, x >> BigInt(bit)));

  const Q = statistics.labellings[0]!.reduce((sum, { M: rows }) => sum + Number(rows), 0);
  const ridge = RIDGE * Q * 4 ** small.task.fractionBits;
  const B = doubles(T, 0).map((row, i) => row.map((x, j) => (i === j ? x + ridge : x)));
  const G = doubles(groupsOf(statistics, contrastBits), contrastBits);
  const signal = times(G, transposed(G));
  const { vectors } = generalisedEigen(signal, B);
  const Y = doubles(view.signal, openBits);
  const root = doubles(view.root, rootBits);
  const back = squares(times(transposed(root), Y).flat());
  const flood = floodOf(view, vectorBits, vectors[0]!, B);
  return [
    ...upperEntries(FEATURES, (i, j) => M[i]![j]! / Number(trace)),
    quadratic(M, pairs.vectors[0]!) / pairs.values[0]!,
    overlap(own, pairs),
    Number(exactTrace) / 2 ** (2 * f) / (noise * Math.sqrt(2 * FEATURES)),
    digits(view.upper[0]!, 0),
    digits(view.upper[1]!, Math.max(maskBits, noiseBits - 16)),
    ...Y.map((row) => row[0]!),
    squares(Y.flat()),
    // On either side of 0 in a right view, and 0 itself without the second rotation: how near it comes is what tells.
    Math.log(Math.abs(Math.log(back / inverseSquares(B, G))) + Number.EPSILON),
    digits(view.signal[0]![0]!, 0),
    ...flood,
    sizeOf(flood),
    view.result.eigenvalues[0]!,
  ];
}

/** ‖B⁻¹ G‖². */
function inverseSquares(B: Doubles, G: Doubles): number {
  const { values, vectors } = symmetricEigen(B);
  return squares(times(vectors, G).flatMap((row, i) => row.map((x) => x / values[i]!)));
}

/** By how much the answer differs from the pencil's own vector, in deviations of the flood. */
function floodOf({ answer }: PencilView, bits: number, vector: readonly number[], B: Doubles): number[] {
  const least = symmetricEigen(B).values.at(-1)!;
  const square = quadratic(B, vector);
  const exact = vector.map((x) => x * Math.sqrt(least / square));
  const own = answer.map((row) => Number(row[0]!) * 2 ** -bits);
  const side = Math.sign(dot(own, exact));
  return own.map((x, i) => (x - side * exact[i]!) / FLOOD);
}

function spoilt(
  secrets: PencilSecrets,
  { rotationBits, fineRotationBits }: PencilParameters,
  planted: Planted | undefined,
): PencilSecrets {
  switch (planted?.leak) {
    case 'identity': {
      const rotation = mixedWithIdentity(secrets.rotation, rotationBits, planted.size);
      const more = BigInt(fineRotationBits - rotationBits);
      return { ...secrets, rotation, fineRotation: rotation.map((row) => row.map((x) => x << more)) };
    }
    case 'turn':
      return { ...secrets, turn: mixedWithIdentity(secrets.turn, rotationBits, planted.size) };
    case 'flood':
      return { ...secrets, flood: smaller(secrets.flood, planted.size) };
    default:
      return secrets;
  }
}
