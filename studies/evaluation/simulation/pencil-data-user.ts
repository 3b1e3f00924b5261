/** The data user of a discriminant method by `rotated`: M, C₁, Y, the vectors and the result, against the simulator of docs/arguments/rotated-pencils.md. */

import { generalisedEigen, symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import type { PencilParameters, PencilSecrets } from '@eigenveil/two-party/insides';
import { dot } from '../../recognition/alignment.ts';
import { wholeScatter } from '../whole-scatter.ts';
import { drawnStatistics, labelOf, omitsSmall, RIDGE, smallTask } from './inputs.ts';
import { type Doubles, doubles, quadratic, sizeOf, squares, times, transposed } from './matrices.ts';
import { named, type Planted, party } from './party.ts';
import { groupsOf, type PencilView, parametersOf, realPencil, simulatedPencil } from './pencil-view.ts';
import {
  digitsOf,
  entriesOf,
  mixedWithIdentity,
  overlap,
  scatterSeen,
  smaller,
} from './rotated-data-user.ts';

const FEATURES = 4;
/** More of three classes and four features take consent. */
const COMPONENTS = 1;
const MOST_CLASSES = 3;
const NOISE = 2 ** -46;
const FLOOD = 2 ** -40;

/** A view, and the rows that somebody looks for in it. */
interface View extends PencilView {
  readonly statistics: Statistics;
}

export const pencilDataUser = party({
  id: 'pencil-data-user',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-7', 'S-8', 'S-53', 'S-166', 'S-168'],
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
    const label = labelOf(scene, MOST_CLASSES)!;
    return smallTask(scene, { features: FEATURES, components: COMPONENTS, twoParty: 'rotated', label });
  },
  async real(small, draws, planted): Promise<View> {
    const statistics = drawnStatistics(small, draws.of('rows'));
    const view = await realPencil(small, statistics, draws.of('run'), (secrets, parameters) =>
      spoilt(secrets, parameters, planted),
    );
    return { ...view, statistics };
  },
  async simulated(small, draws) {
    const statistics = drawnStatistics(small, draws.of('rows'));
    return { ...(await simulatedPencil(small, statistics, draws.of('run'))), statistics };
  },
  /** The values of a view, jointly with the result, by somebody who knows T and G. */
  features(small, { statistics, ...view }) {
    const parameters = parametersOf(small);
    const { rotationBits: f, maskBits, openBits, rootBits, vectorBits, contrastBits } = parameters;
    const T = wholeScatter(statistics);
    const { M, own, pairs, noiseBits, ofTrace } = scatterSeen(view.upper, T, { f, noise: NOISE });
    const Q = statistics.labellings[0]!.reduce((sum, { M: rows }) => sum + Number(rows), 0);
    const ridge = RIDGE * Q * 4 ** small.task.fractionBits;
    const B = doubles(T, 0).map((row, i) => row.map((x, j) => (i === j ? x + ridge : x)));
    const G = doubles(groupsOf(statistics, contrastBits), contrastBits);
    const { vectors } = generalisedEigen(times(G, transposed(G)), B);
    const Y = doubles(view.signal, openBits);
    const root = doubles(view.root, rootBits);
    const back = squares(times(transposed(root), Y).flat());
    const flood = floodOf(view, vectorBits, vectors[0]!, B);
    return {
      ...entriesOf(M, T),
      "M in T's leading direction": quadratic(M, pairs.vectors[0]!) / pairs.values[0]!,
      'overlap of eigenvectors of M and of T': overlap(own, pairs),
      'noise of the trace of M': ofTrace,
      'lowest 16 bits of M': digitsOf(view.upper[0]!, 0),
      'bits in the noise of M': digitsOf(view.upper[1]!, Math.max(maskBits, noiseBits - 16)),
      ...named(
        Y.map((row) => row[0]!),
        (i) => `entry ${i + 1} of Y's first column`,
      ),
      'square of Y': squares(Y.flat()),
      // On either side of 0 in a right view, and 0 itself without the second rotation: how near it comes is what tells.
      'distance of C₁ᵀ Y from B⁻¹ G': Math.log(
        Math.abs(Math.log(back / inverseSquares(B, G))) + Number.EPSILON,
      ),
      'lowest 16 bits of Y': digitsOf(view.signal[0]![0]!, 0),
      ...named(flood, (i) => `flood on entry ${i + 1} of the vector`),
      'size of the flood': sizeOf(flood),
      'eigenvalue of the result': view.result.eigenvalues[0]!,
    };
  },
});

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
