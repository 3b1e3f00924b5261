/** Views of the data user in a pencil by `rotated`: real ones, and those that the simulator of docs/arguments/rotated-pencils.md makes for the same code of the data user. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  answerPencil,
  askPencil,
  contrasts,
  drawPencilSecrets,
  haarOrthogonal,
  inRing,
  type Matrix,
  multiplySigned,
  type PencilParameters,
  type PencilSecrets,
  pencilParameters,
  pencilProducts,
  RandomBits,
  refineVectors,
  squareRoot,
  standardNormal,
  transpose,
  upperOf,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { wholeScatter } from '../whole-scatter.ts';
import { added, lessNoise, realRun, type Seen, signed, simulatedRun } from './data-user-run.ts';
import type { SmallTask } from './inputs.ts';
import { completed, type Doubles, doubles, times, transposed } from './matrices.ts';
import { turnedScatter } from './rotated-view.ts';

export interface PencilView {
  /** M, upper triangle, in units of 2^−2f. */
  readonly upper: readonly bigint[];
  /** C₁, d × d, in units of 2^−rootBits. */
  readonly root: Matrix;
  /** Y, d × columns, in units of 2^−openBits. */
  readonly signal: Matrix;
  /** The flooded answer W, d × components, in units of 2^−vectorBits. */
  readonly answer: Matrix;
  readonly result: FlatResult;
}

export const parametersOf = ({ task, program }: SmallTask): PencilParameters =>
  pencilParameters(task, program);

/** G with G Gᵀ = Q·S_B in units of T, in units of 2^−contrastBits. */
export function groupsOf({ labellings }: Statistics, bits: number): bigint[][] {
  const classes = labellings[0]!;
  const H = contrasts(
    classes.map(({ M }) => M),
    bits,
  );
  return multiplySigned(transpose(classes.map(({ V }) => V)), H);
}

function opened(small: SmallTask, { put, got, result }: Seen): PencilView {
  const { ringBits, white, openRing, vectorRing, columns } = parametersOf(small);
  const { noise, matrix, root, signal, vectors } = pencilProducts(columns);
  return {
    upper: added(upperOf(got[matrix]!), got[noise]!.flat(), ringBits),
    root: transpose(signed(put[root]!, white.ring)),
    signal: signed(columns > 1 ? transpose(got[signal]!) : got[signal]!, openRing),
    answer: signed(got[vectors]!, vectorRing),
    result,
  };
}

/** `spoil` changes what the CSP has drawn. */
export async function realPencil(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
  spoil: (secrets: PencilSecrets, parameters: PencilParameters) => PencilSecrets,
): Promise<PencilView> {
  const seen = await realRun(askPencil, small, statistics, draws, (stream, lattice, own) =>
    answerPencil(stream, lattice, small, own, (parameters) =>
      spoil(drawPencilSecrets(parameters, new RandomBits(draws.source)), parameters),
    ),
  );
  return opened(small, seen);
}

/** Fraction bits of F and of its decomposition, and of W₂ and W₃. */
const FINE_BITS = 200;
const NOISE_EXPONENT = 46;

/** Step 2 of the functionality: F with its noise, decomposed as L Σ Rᵀ; L's first columns, Σ. */
function decomposed(F: Matrix, random: RandomBits) {
  const noisy = F.map((row) =>
    row.map((entry) => entry + standardNormal(random, FINE_BITS - NOISE_EXPONENT)),
  );
  const gram = multiplySigned(transpose(noisy), noisy);
  const pairs = symmetricEigen(gram.map((row) => row.map((entry) => Number(entry) * 2 ** (-2 * FINE_BITS))));
  const fine = gram.map((row) => row.map((entry) => entry >> BigInt(FINE_BITS)));
  const scaled = { ...pairs, values: pairs.values.map((value) => value * 2 ** FINE_BITS) };
  const R = refineVectors(fine, scaled, gram.length, FINE_BITS);
  const images = transpose(multiplySigned(noisy, R)).map((column) =>
    column.map((entry) => entry >> BigInt(FINE_BITS)),
  );
  const values = images.map((column) => squareRoot(column.reduce((sum, x) => sum + x * x, 0n)));
  return { values, left: images.map((column, i) => column.map((x) => Number(x) / Number(values[i]!))) };
}

/** A CSP without shares: products give uniform numbers, and what it opens is what the functionality gives. */
export async function simulatedPencil(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
): Promise<PencilView> {
  const parameters = parametersOf(small);
  const { ringBits, openRing, openBits, vectorRing, vectorBits, floodBits, columns } = parameters;
  const { features: d, white, rootBits, contrastBits, back, inner, directionBits } = parameters;
  const places = pencilProducts(columns);
  const random = new RandomBits(draws.source);
  const { bits, U, W, matrix } = turnedScatter(wholeScatter(statistics), parameters, random);
  const groups = multiplySigned(multiplySigned(W, transpose(U)), groupsOf(statistics, contrastBits));
  const W2 = haarOrthogonal(d, FINE_BITS, random);
  const W3 = columns > 1 ? haarOrthogonal(columns, FINE_BITS, random) : [[1n << BigInt(FINE_BITS)]];
  let left: number[][] | undefined;

  /** Y of C₁. */
  const signalOf = (root: Matrix): Matrix => {
    const shift = BigInt(rootBits + 2 * bits + contrastBits - FINE_BITS);
    const F = multiplySigned(root, groups).map((row) => row.map((entry) => entry >> shift));
    const made = decomposed(F, random);
    left = made.left;
    return W2.map((row) =>
      W3.map((other) => {
        const exact = made.values.reduce((sum, value, l) => sum + row[l]! * value * other[l]!, 0n);
        return exact >> BigInt(3 * FINE_BITS - openBits);
      }),
    );
  };
  /** U′ W₁ᵀ C̃ᵀ L′ W₂ᵀ A and the flood, in doubles: the flood of 2^−40 hides their errors. */
  const vectorsOf = (A: Doubles, normalised: Doubles): Matrix => {
    const turned = times(transposed(completed(left!)), times(transposed(doubles(W2, FINE_BITS)), A));
    const stretched = times(transposed(normalised), turned);
    const vectors = times(times(doubles(U, bits), transposed(doubles(W, bits))), stretched);
    return vectors.map((row) =>
      row.map(
        (x) =>
          (BigInt(Math.round(x * 2 ** 52)) << BigInt(vectorBits - 52)) + standardNormal(random, floodBits),
      ),
    );
  };

  const setting = { draws, random, ringBits };
  const seen = await simulatedRun(askPencil, small, statistics, setting, (product, { put, got }) => {
    switch (product) {
      case places.matrix:
        return lessNoise(matrix, got[places.noise]!, ringBits);
      case places.signal: {
        const Y = signalOf(transpose(signed(put[places.root]!, white.ring)));
        return inRing(columns > 1 ? transpose(Y) : Y, openRing);
      }
      case places.vectors: {
        const A = doubles(signed(put[places.directions]!, back.ring), directionBits);
        const normalised = doubles(signed(put[places.normalised]!, inner.ring), inner.cut);
        return inRing(vectorsOf(A, normalised), vectorRing);
      }
      default:
        return undefined;
    }
  });
  return opened(small, seen);
}
