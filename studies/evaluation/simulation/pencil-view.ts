/** Views of the data user in a pencil by `rotated`: real ones, and those that the simulator of docs/rotated-pencils.md makes for the same code of the data user. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { placesOf } from '@eigenveil/task';
import {
  answerPencil,
  askPencil,
  contrasts,
  drawPencilSecrets,
  haarOrthogonal,
  type Matrix,
  matrixShareOfUser,
  multiplySigned,
  type PencilParameters,
  type PencilSecrets,
  pencilParameters,
  RandomBits,
  ROTATED_MESSAGE,
  readRing,
  refineVectors,
  squareRoot,
  standardNormal,
  transpose,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { wholeScatter } from '../whole-scatter.ts';
import { added, inRows, realRun, type Seen, simulatedRun } from './data-user-run.ts';
import type { SmallTask } from './inputs.ts';
import { completed, doubles, times, transposed } from './matrices.ts';
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

/** Places of the products among those that the data user takes part in: see shareMatrices(), shareSignal() and rotateBack() in two-party. */
const ROTATING_FROM = 4;

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

const signed = (matrix: Matrix, ringBits: number) =>
  matrix.map((row) => row.map((entry) => BigInt.asIntN(ringBits, entry)));

const rootIn = (asked: Seen['asked'], { white }: PencilParameters) =>
  signed(transpose(asked[1]![0]!), white.ring);

/** The data user's share of Y. */
const signalShare = ({ shares }: Pick<Seen, 'shares'>, { columns }: PencilParameters): Matrix =>
  columns > 1 ? transpose(shares[1]![2]!) : shares[1]![1]!;

function opened(small: SmallTask, seen: Seen): PencilView {
  const parameters = parametersOf(small);
  const { ringBits, openRing, vectorRing, columns, components } = parameters;
  const open = (share: readonly bigint[], type: number, ring: number) =>
    added(share, seen.message(type, ring), ring);
  return {
    upper: open(matrixShareOfUser(seen.shares[0]!.slice(ROTATING_FROM)), ROTATED_MESSAGE.matrix, ringBits),
    root: rootIn(seen.asked, parameters),
    signal: inRows(open(signalShare(seen, parameters).flat(), ROTATED_MESSAGE.signal, openRing), columns),
    answer: inRows(open(seen.shares[2]![2]!.flat(), ROTATED_MESSAGE.vectors, vectorRing), components),
    result: seen.result,
  };
}

/** `spoil` changes what the CSP has drawn. */
export async function realPencil(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
  spoil: (secrets: PencilSecrets, parameters: PencilParameters) => PencilSecrets,
): Promise<PencilView> {
  const seen = await realRun(askPencil, small, statistics, draws, (stream, setUp, csp) =>
    answerPencil(stream, setUp, small, csp, (parameters) =>
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

/** A CSP without shares: it has what the functionality gives, and sends that less the data user's shares. */
export async function simulatedPencil(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
): Promise<PencilView> {
  const parameters = parametersOf(small);
  const {
    ringBits,
    openRing,
    openBits,
    vectorRing,
    vectorBits,
    floodBits,
    columns,
    features: d,
  } = parameters;
  const { rootBits, contrastBits, back, inner, directionBits } = parameters;
  const random = new RandomBits(draws.source);
  const { bits, U, W, matrix } = turnedScatter(wholeScatter(statistics), parameters, random);
  const counts = placesOf(small.task).labellings[0]!.map(({ M }) => M.from);
  const seen = await simulatedRun(askPencil, small, statistics, { draws, random }, async (playing) => {
    const { stream, own, shares, asked, send, exchanged } = playing;
    await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
    const classCounts = statistics.labellings[0]!.map(({ M }) => M);
    const ownCounts = counts.map((at) => own[at]!);
    await send(ROTATED_MESSAGE.declared, classCounts, ownCounts, ringBits);
    await exchanged(1);
    await send(ROTATED_MESSAGE.matrix, matrix, matrixShareOfUser(shares[0]!.slice(ROTATING_FROM)), ringBits);

    await exchanged(2);
    const root = rootIn(asked, parameters);
    const turnedGroups = multiplySigned(multiplySigned(W, transpose(U)), groupsOf(statistics, contrastBits));
    const shift = BigInt(rootBits + 2 * bits + contrastBits - FINE_BITS);
    const F = multiplySigned(root, turnedGroups).map((row) => row.map((entry) => entry >> shift));
    const { values, left } = decomposed(F, random);
    const W2 = haarOrthogonal(d, FINE_BITS, random);
    const W3 = columns > 1 ? haarOrthogonal(columns, FINE_BITS, random) : [[1n << BigInt(FINE_BITS)]];
    const Y = W2.flatMap((row) =>
      W3.map((other) => {
        const exact = values.reduce((sum, value, l) => sum + row[l]! * value * other[l]!, 0n);
        return exact >> BigInt(3 * FINE_BITS - openBits);
      }),
    );
    await send(ROTATED_MESSAGE.signal, Y, signalShare({ shares }, parameters).flat(), openRing);

    await exchanged(3);
    const A = doubles(signed(asked[2]![0]!, back.ring), directionBits);
    const normalised = doubles(signed(asked[2]![1]!, inner.ring), inner.cut);
    // U′ W₁ᵀ C̃ᵀ L′ W₂ᵀ A in doubles: the flood of 2^−40 hides their errors.
    const turned = times(transposed(completed(left)), times(transposed(doubles(W2, FINE_BITS)), A));
    const stretched = times(transposed(normalised), turned);
    const vectors = times(times(doubles(U, bits), transposed(doubles(W, bits))), stretched);
    const answer = vectors
      .flat()
      .map(
        (x) =>
          (BigInt(Math.round(x * 2 ** 52)) << BigInt(vectorBits - 52)) + standardNormal(random, floodBits),
      );
    await send(ROTATED_MESSAGE.vectors, answer, shares[2]![2]!.flat(), vectorRing);
  });
  return opened(small, seen);
}
