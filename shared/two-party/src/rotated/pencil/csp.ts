/** The CSP's side of a pencil by the `rotated` protocol: docs/rotated-pencils.md has the steps by the same numbers. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners, sendMarkedMatrix } from '../closing.ts';
import { addMatrices, bitsLeft, type Matrix, multiplySigned, transpose, truncateCsp } from '../matrices.ts';
import { declare, ROTATED_MESSAGE, sendRing, sendVectors } from '../messages.ts';
import { fixed, type PencilSecrets } from '../secrets.ts';
import { type PencilShares, pencilShares, totalOf } from '../shares.ts';
import {
  type Chooser,
  matrixShareOfCsp,
  returnedShareOfCsp,
  returningChoices,
  rotatingChoices,
  scatterChoices,
  scatterShareOfCsp,
  shortChoices,
} from '../steps.ts';
import { type PencilParameters, pencilParameters, returningSizes, totalSizes } from './parameters.ts';
import { flooredChoices, flooredShareOfCsp, summedChoices, summedShareOfCsp } from './sums.ts';

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

    await rotateBack(stream, chooser, secrets, parameters);
  });
}

/** Step 2: the CSP's share of M, upper triangle, and its integer share of X = P·G. */
async function shareMatrices(
  chooser: Chooser,
  own: PencilShares,
  secrets: PencilSecrets,
  parameters: PencilParameters,
): Promise<{ matrix: bigint[]; signal: Matrix }> {
  const { shareBits, groups: r, fineRotationBits, group, signal } = parameters;
  const scatter = scatterOf(own, parameters);
  const shares = await chooser.multiply([
    ...scatter.products,
    { ...shortChoices(own.groups, shareBits.sums, group.ring), columns: r },
    {
      matrix: secrets.fineRotation,
      entryBits: fineRotationBits + 1,
      columns: r,
      ringBits: signal.ring,
    },
    ...rotatingChoices(secrets, parameters),
  ]);
  const T = scatter.share(shares);
  const [contrasted, turned, ...rotating] = shares.slice(scatter.products.length);
  const G = truncateCsp(contrasted!, group);
  const X = addMatrices(multiplySigned(secrets.fineRotation, G), turned!, signal.ring);
  return {
    matrix: matrixShareOfCsp(T, rotating, secrets, parameters),
    signal: truncateCsp(X, signal),
  };
}

/** The products for T, and the share of T that follows from theirs. */
function scatterOf(own: PencilShares, parameters: PencilParameters) {
  const { R, V, groups } = own;
  if (R.length === 0)
    return {
      products: summedChoices(V, parameters),
      share: (shares: readonly Matrix[]) => summedShareOfCsp(V, shares, parameters),
    };
  if (parameters.truncates)
    return {
      products: flooredChoices(own, parameters),
      share: (shares: readonly Matrix[]) => flooredShareOfCsp(own, shares, parameters),
    };
  const total = { R, V: totalOf(groups) };
  const sizes = totalSizes(parameters);
  return {
    products: scatterChoices(total, sizes),
    share: (shares: readonly Matrix[]) => scatterShareOfCsp(total, shares, sizes),
  };
}

/** Step 4: the CSP's share of Y = P₂ F O + N, d × columns. */
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
      entryBits: bitsLeft(parameters.signal),
      columns: d,
      ringBits: white.ring,
    },
    { matrix: turn, entryBits: rotationBits + 1, columns, ringBits: turned.ring },
    ...(mixing
      ? [{ matrix: transpose(mixing), entryBits: mixingBits + 1, columns: d, ringBits: openRing }]
      : []),
  ]);
  // The data user knows the other columns.
  const F = truncateCsp(transpose(whitened!), white).map((row) => [
    ...row,
    ...new Array<bigint>(columns - groups).fill(0n),
  ]);
  const whole = addMatrices(multiplySigned(turn, F), once!, turned.ring);
  if (!mixing) return addMatrices(whole, signalNoise, openRing);
  const half = transpose(truncateCsp(whole, turned));
  const last = addMatrices(multiplySigned(transpose(mixing), half), mixed!, openRing);
  return addMatrices(transpose(last), signalNoise, openRing);
}

/** Step 6: the CSP's share of Pᵀ C̃ᵀ P₂ᵀ A with the flood, d × components. */
async function rotateBack(
  stream: MessageStream,
  chooser: Chooser,
  secrets: PencilSecrets,
  parameters: PencilParameters,
): Promise<void> {
  const sizes = returningSizes(parameters);
  const shares = await chooser.multiply(returningChoices(secrets, sizes));
  await sendVectors(stream, returnedShareOfCsp(secrets, shares, sizes), secrets.flood, sizes.ringBits);
}
