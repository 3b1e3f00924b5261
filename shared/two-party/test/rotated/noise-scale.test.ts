/** A data user that knows the trace of the matrix and takes it from its share of the factor of the noise: of a PCA that leaves none. */
import { expect, it } from 'vitest';
import type { UserFactor } from '../../src/lattice/data-user.ts';
import type { MatrixSession, Piece } from '../../src/matrices/session.ts';
import { cspSession, dataUserSession, planOf } from '../../src/matrices/sessions.ts';
import { inRing, type Matrix, traceOf } from '../../src/rotated/matrices.ts';
import { type RotatedParameters, rotatedParameters } from '../../src/rotated/parameters.ts';
import { drawSecrets } from '../../src/rotated/secrets.ts';
import { turnedVectors } from '../../src/rotated/turning.ts';
import { dealtLattice } from '../support/dealers.ts';
import { rotatedScatter } from '../support/views.ts';
import { settingOf } from './settings.ts';
import { seededBits } from './statistics.ts';

const d = 12;
const ONE = 1n << 32n;
/** A correlation matrix, and so one whose trace is d. */
const K: Matrix = Array.from({ length: d }, (_, i) =>
  Array.from({ length: d }, (_unused, j) => (i === j ? ONE : ONE / BigInt(2 + Math.abs(i - j)))),
);

/** Takes the trace from what the data user puts into a product of one number. */
function withoutNoise({ product, factor }: UserFactor, ringBits: number): UserFactor {
  if (factor.length > 1) return { product, factor };
  const less = factor.map((row) => row.map((entry) => entry - traceOf(K)));
  return { product, factor: inRing(less, ringBits) };
}

/** The noise that is left in M off its diagonal, in deviations of 2^−36 of the trace. */
async function noiseLeft(parameters: RotatedParameters, deviates: boolean): Promise<number> {
  const { ringBits, rotationBits, maskBits } = parameters;
  const random = seededBits('noise scale');
  const secrets = drawSecrets(parameters, 1, random);
  const own = K.map((row) => row.map(() => random.integer(ringBits)));
  const theirs = inRing(
    K.map((row, i) => row.map((entry, j) => entry - own[i]![j]!)),
    ringBits,
  );
  let opened: readonly bigint[] = [];
  const decompose = async ({ user }: Piece): Promise<Piece> => {
    if (user) opened = user[0]!;
    return { user: K.map(() => [0n]) };
  };
  const steps = (session: MatrixSession, T: Piece) =>
    turnedVectors(session, { T, secrets: () => secrets, decompose }, 1, parameters);
  const plan = await planOf((session) => steps(session, {}));
  const ends = dealtLattice();
  const [user, csp] = [await ends.user()(plan), await (await ends.csp())(plan)];
  const deviating = {
    multiply: (asked: readonly UserFactor[]) =>
      user.multiply(deviates ? asked.map((factor) => withoutNoise(factor, ringBits)) : asked),
  };
  await Promise.all([
    steps(dataUserSession(deviating), { user: own }),
    steps(
      cspSession(csp, async () => undefined),
      { csp: theirs },
    ),
  ]);
  const exact = rotatedScatter(K, secrets.rotation);
  const half = 1n << BigInt(maskBits - 1);
  const rest = opened.map((entry, e) => Number(BigInt.asIntN(ringBits, entry) - exact[e]! - half));
  const deviation = Number(traceOf(K)) * 2 ** (2 * rotationBits - 36);
  return Math.hypot(...rest) / (deviation * Math.sqrt(d * (d + 1) * 0.5 + d));
}

it.each([
  ['a covariance matrix: none, but for the mask', { kind: 'pca' }, 0, 2 ** -6],
  ['a correlation matrix: all of it', { kind: 'pca', scale: 'correlation' }, 0.7, 1.3],
] as const)('is left of the noise of %s', async (_, method, least, most) => {
  const parameters = rotatedParameters(
    settingOf({ rows: [], features: d, components: 1, task: { method }, program: {} }).task,
  );
  expect(Math.abs((await noiseLeft(parameters, false)) - 1)).toBeLessThan(0.3);
  const left = await noiseLeft(parameters, true);
  expect(left).toBeGreaterThanOrEqual(least);
  expect(left).toBeLessThan(most);
});
