/** The CSP's side of a pencil by the `rotated` protocol: docs/rotated-pencils.md has the steps by the same numbers. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { ChosenProduct } from '../../products/index.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners, sendMarkedMatrix } from '../closing.ts';
import {
  addMatrices,
  columnOf,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  transpose,
} from '../matrices.ts';
import { declare, ROTATED_MESSAGE, sendRing } from '../messages.ts';
import { ceilLog2 } from '../parameters.ts';
import type { Chooser } from '../products.ts';
import { matrixShareOfCsp, rotatingChoices } from '../rotating.ts';
import { fixed } from '../secrets.ts';
import { scatterShare, shortChoices } from '../shares.ts';
import { truncateCsp } from '../truncate.ts';
import { type PencilParameters, pencilParameters, type Truncated } from './parameters.ts';
import type { PencilSecrets } from './secrets.ts';
import { type PencilShares, pencilShares, totalOf } from './shares.ts';

/** As answerRotated(), for a pencil. */
export async function answerPencil(
  stream: MessageStream,
  products: () => Promise<Chooser>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: PencilParameters) => PencilSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = pencilParameters(task, program);
    const { ringBits } = parameters;
    const secrets = fixed(stream, draw(parameters)); // while the data user prepares its base transfers
    const own = pencilShares(task, input.shares, ringBits);
    await openOwners(stream, own.owners, ringBits, input, program);

    const chooser = await products();
    const sums = program.outputs.includes('mean') ? totalOf(own.groups) : [];
    const declared = [...own.M.flat(), ...sums].map((share) => BigInt.asUintN(ringBits, share));
    await declare(stream, declared, ringBits);
    const { matrix, signal } = await shareMatrices(chooser, own, secrets, parameters);
    await sendMarkedMatrix(stream, mark, matrix, ringBits);

    const values = await shareSignal(chooser, signal, secrets, parameters);
    await sendRing(stream, ROTATED_MESSAGE.signal, values.flat(), parameters.openRing);

    const vectors = await rotateBack(chooser, secrets, parameters);
    await sendRing(stream, ROTATED_MESSAGE.vectors, vectors.flat(), parameters.vectorRing);
  });
}

/** Steps 1 and 2: the CSP's share of M, upper triangle, and its integer share of X = P·G. */
async function shareMatrices(
  chooser: Chooser,
  { R, V, groups }: PencilShares,
  secrets: PencilSecrets,
  parameters: PencilParameters,
): Promise<{ matrix: bigint[]; signal: Matrix }> {
  const { features: d, ringBits, shareBits, groups: r, fineRotationBits, group, signal } = parameters;
  const classes = V[0]!.length;
  const short = (matrix: Matrix, ring: number) => shortChoices(matrix, shareBits.V, ring);
  const total = totalOf(groups);
  const totalBits = shareBits.V + ceilLog2(groups[0]!.length);
  const statistics: ChosenProduct[] =
    R.length > 0
      ? [
          { ...shortChoices(columnOf(total), totalBits, ringBits), columns: d },
          { ...shortChoices(columnOf(R), shareBits.R, ringBits), columns: 1 },
        ]
      : [
          { ...short(V, parameters.wide.ring), columns: classes },
          { ...short(V, parameters.wide.ring), columns: d },
        ];
  const [first, second, contrasted, turned, ...rotating] = await chooser.multiply([
    ...statistics,
    { ...short(groups, group.ring), columns: r },
    { matrix: secrets.fineRotation, entryBits: fineRotationBits + 1, columns: r, ringBits: signal.ring },
    ...rotatingChoices(secrets, parameters),
  ]);
  const scatter =
    R.length > 0
      ? scatterShare(second!.flat(), first!, total, ringBits)
      : summedScatter(V, first!, second!, parameters);
  const G = cut(contrasted!, group);
  const X = addMatrices(multiplySigned(secrets.fineRotation, G), turned!, signal.ring);
  return {
    matrix: matrixShareOfCsp(scatter, rotating, secrets, parameters),
    signal: cut(X, signal),
  };
}

/** MDR: the share of T = V W Vᵀ, from those of Z = V_csp W and of V_csp Z_userᵀ + 2 V_csp W V_userᵀ; see the data user's side. */
function summedScatter(
  V: Matrix,
  Z: Matrix,
  mixed: Matrix,
  { wide, ringBits }: PencilParameters,
): bigint[][] {
  const half = addMatrices(multiplySigned(V, transpose(Z)), mixed, wide.ring);
  const doubled = addMatrices(half, transpose(half), wide.ring);
  return cut(doubled, wide).map((row) => row.map((entry) => BigInt.asUintN(ringBits, entry)));
}

/** Steps 3 and 4: the CSP's share of Y = P₂ F O + N, d × columns. */
async function shareSignal(
  chooser: Chooser,
  signal: Matrix,
  { turn, mixing, signalNoise }: PencilSecrets,
  parameters: PencilParameters,
): Promise<bigint[][]> {
  const { features: d, columns, groups, rotationBits, mixingBits, openRing, white, turned } = parameters;
  const [whitened, once, mixed] = await chooser.multiply([
    {
      matrix: transpose(signal),
      entryBits: parameters.signal.ring - parameters.signal.cut + 2,
      columns: d,
      ringBits: white.ring,
    },
    { matrix: turn, entryBits: rotationBits + 1, columns, ringBits: turned.ring },
    ...(mixing
      ? [{ matrix: transpose(mixing), entryBits: mixingBits + 1, columns: d, ringBits: openRing }]
      : []),
  ]);
  // The data user knows the other columns.
  const F = cut(transpose(whitened!), white).map((row) => [
    ...row,
    ...new Array<bigint>(columns - groups).fill(0n),
  ]);
  const whole = addMatrices(multiplySigned(turn, F), once!, turned.ring);
  if (!mixing) return addMatrices(whole, signalNoise, openRing);
  const half = transpose(cut(whole, turned));
  const last = addMatrices(multiplySigned(transpose(mixing), half), mixed!, openRing);
  return addMatrices(transpose(last), signalNoise, openRing);
}

/** Step 6: the CSP's share of Pᵀ C̃ᵀ P₂ᵀ A with the flood, d × components. */
async function rotateBack(
  chooser: Chooser,
  { rotation, turn, flood }: PencilSecrets,
  parameters: PencilParameters,
): Promise<bigint[][]> {
  const { features: d, components, rotationBits, back, inner, vectorRing } = parameters;
  const turning = { entryBits: rotationBits + 1, columns: components };
  const [, stretched, last] = await chooser.multiply([
    { ...turning, matrix: transpose(turn), ringBits: back.ring },
    {
      matrix: { rows: components, inner: d, from: ([turned]) => transpose(cut(turned!, back)) },
      entryBits: back.ring - back.cut + 2,
      columns: d,
      ringBits: inner.ring,
    },
    { ...turning, matrix: transpose(rotation), ringBits: vectorRing },
  ]);
  const z = transpose(cut(stretched!, inner));
  const own = multiplyMatrices(transpose(rotation), z, vectorRing);
  return addMatrices(addMatrices(own, last!, vectorRing), flood, vectorRing);
}

function cut(shares: Matrix, { ring, cut: bits }: Truncated): bigint[][] {
  return truncateCsp(shares, ring, bits);
}
