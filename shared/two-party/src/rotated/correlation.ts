/**
 * PCA of a correlation matrix by the `rotated` protocol: a garbled circuit standardises the features and
 * gives both servers additive shares, and from there on it is a PCA. docs/spec/rotated-correlation.md has the
 * steps and why that is as good.
 */
import { type CodedError, isOf } from '@eigenveil/platform';
import { asReleased, type Components, correlationNoise, unstandardised } from '@eigenveil/projection';
import { type Program, placesOf, type StatisticsTask, widthsOf } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import { beforeReveal, type Session } from '../garbling/index.ts';
import { cspSession } from '../matrices/sessions.ts';
import { type MaskedCorrelation, maskedCorrelation } from '../programs/masked-correlation.ts';
import { SOLVE_FRACTION } from '../programs/precision.ts';
import type { CspInput, DataUserInput } from '../protocol.ts';
import { closedByFaults, openOwners } from './closing.ts';
import type { CspLattice } from './csp.ts';
import { openTurned, type UserLattice } from './data-user.ts';
import { implausible, noiseOutweighs } from './decomposition.ts';
import { addDiagonal, symmetricMatrix, upperEntries } from './matrices.ts';
import { sendOwners } from './messages.ts';
import { type RotatedParameters, rotatedParameters } from './parameters.ts';
import type { RandomBits } from './random.ts';
import { drawSecrets, fixed } from './secrets.ts';
import { turnedVectors, turningPlan } from './turning.ts';

/** Called for after the owners were checked, or sent; each must be drawn for this answer alone. */
interface Means<Lattice> {
  readonly session: () => Promise<Session>;
  readonly lattice: () => Lattice;
}

interface Asked {
  readonly task: StatisticsTask;
  readonly program: Program;
}

/**
 * Times the noise's 2^−n: far above what noise and the circuit's rounding make of the trace of a correlation
 * matrix, per feature.
 */
const PLAUSIBLE_TRACE = 2 ** 16;

/**
 * The CSP's run to its end.
 * @throws as `answerRotated`, and the session
 */
export async function answerCorrelation(
  stream: MessageStream,
  { session, lattice }: Means<Promise<CspLattice>>,
  { task, program }: Asked,
  input: CspInput,
  random: RandomBits,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const { shares, verifiedOwners } = input;
    const parameters = rotatedParameters(task);
    const { features: d, ringBits } = parameters;
    const { masks, ...secrets } = fixed(stream, {
      ...drawSecrets(parameters, program.components, random),
      masks: upperEntries(d, () => random.integer(ringBits)),
    });
    await openOwners(stream, shares.at(placesOf(task).owners.from)!, widthsOf(task).owners, input, program);

    const open = await lattice();
    const products = cspSession(await open(await turningPlan(task, program)), mark);
    // The variances that it reveals are part of the one answer.
    const garbler = beforeReveal(await session(), mark);
    await maskedCorrelation(garbler, task, program, { garbler: { shares, verifiedOwners } }, ringBits, masks);
    const own = symmetricMatrix(
      masks.map((mask) => BigInt.asUintN(ringBits, -mask)),
      d,
    );
    const turning = { T: { csp: own }, secrets: () => secrets, decompose: async () => ({}) };
    await turnedVectors(products, turning, program.components, parameters);
  });
}

/**
 * The data user's run to its end.
 * @throws as `askRotated`, and the session; ERR_GARBLING_CHECK when the channel is closed
 */
export async function askCorrelation(
  stream: MessageStream,
  { session, lattice }: Means<UserLattice>,
  { task, program }: Asked,
  input: DataUserInput,
): Promise<Components> {
  const parameters = rotatedParameters(task);
  const { features: d, ringBits } = parameters;
  await sendOwners(stream, input.shares.at(placesOf(task).owners.from)!, widthsOf(task).owners);
  const open = lattice();
  const products = await open(await turningPlan(task, program));
  const opened = await openStandardised(await session(), { task, program }, input, ringBits);
  const own = addDiagonal(symmetricMatrix(opened.masked, d), raisesOf(parameters), ringBits);
  let isOver = false;
  const onAnswer = () => {
    isOver = true;
    input.onAnswer?.();
  };
  const result = await openTurned(
    stream,
    products,
    async () => ({ user: own }),
    opened,
    { task, program: withNoiseOf(program, opened, parameters) },
    { ...input, onAnswer },
  ).catch((error: unknown) => {
    // Until the answer has come an error is what it is without the failure: by what becomes of the task, and
    // when, the CSP would see that there is one.
    throw (isOver && opened.failure) || error;
  });
  if (opened.failure) throw opened.failure;
  return atFeaturesScale(result, opened, program, parameters);
}

/**
 * Opens what the circuit gives. Where its check fails, the data user goes on with zeros, so that the CSP does
 * not see that it did: whether it does may depend on a bit of the data user's shares, if the CSP deviates.
 */
async function openStandardised(
  session: Session,
  { task, program }: Asked,
  { shares }: DataUserInput,
  ringBits: number,
): Promise<MaskedCorrelation & { readonly failure?: CodedError }> {
  try {
    const opened = await maskedCorrelation(session, task, program, { evaluator: { shares } }, ringBits);
    // Only a garbler's session learns nothing.
    if (opened === undefined) throw new TypeError('the evaluator expected shares');
    return opened.fits ? opened : { ...opened, failure: noiseOutweighs() };
  } catch (error) {
    if (!(isOf(TWO_PARTY_CODES, error) && error.code === 'ERR_GARBLING_CHECK')) throw error;
    const d = task.features.length;
    const zeros = (count: number) => new Array<bigint>(count).fill(0n);
    const squares = new Array<number>(d).fill(0);
    const nothing = { masked: zeros((d * (d + 1)) / 2), squares, Q: 0n, V: undefined, fits: false };
    return { ...nothing, failure: error };
  }
}

/** The floor's noise in the correlation matrix, which decides what counts as an eigenvalue. */
function withNoiseOf(
  program: Program,
  { squares, Q }: MaskedCorrelation,
  { fractionBits }: RotatedParameters,
): Program {
  const { floor } = program;
  if (floor === undefined) return program;
  const variances = squares.map((square) => square / (Number(Q) * 4 ** fractionBits));
  return { ...program, floor: { ...floor, norm: correlationNoise(floor, variances) } };
}

function raisesOf({ features, raise }: RotatedParameters): bigint[] {
  return new Array<bigint>(features).fill(raise);
}

/**
 * The vectors over the features' deviations, which follow from what the circuit gave, and the outputs that a
 * correlation matrix has instead.
 */
function atFeaturesScale(
  result: Components,
  { squares, Q }: MaskedCorrelation,
  program: Program,
  { fractionBits, exponents, raise }: RotatedParameters,
): Components {
  const unit = Number(Q) * 2 ** fractionBits;
  const variances = squares.map((square) => square / unit ** 2);
  const varying = variances.filter((variance) => variance > 0).length;
  const trace = result.spectrum!.reduce((sum, value) => sum + value, 0);
  // The noise is relative to the trace of the raised matrix.
  const more = 1 + Number(raise) * 2 ** -SOLVE_FRACTION;
  if (!(Math.abs(trace - varying) <= PLAUSIBLE_TRACE * 2 ** -exponents.noise * more * variances.length))
    throw implausible('"matrix" expected a diagonal of ones');
  return asReleased(program, {
    ...result,
    vectors: result.vectors.map((vector) => unstandardised(vector, variances)),
    ...(program.outputs.includes('trace') && { trace: varying }),
    variances,
  });
}
