/** A data user that knows the trace of the matrix and takes it from its share of the factor of the noise: of a PCA that leaves none. */
import { expect, it } from 'vitest';
import type { CorrelatedProduct } from '../../src/products/index.ts';
import { inRing, type Matrix, traceOf } from '../../src/rotated/matrices.ts';
import { type RotatedParameters, rotatedParameters } from '../../src/rotated/parameters.ts';
import { drawSecrets } from '../../src/rotated/secrets.ts';
import {
  matrixShareOfCsp,
  matrixShareOfUser,
  rotatingChoices,
  rotatingCorrelations,
} from '../../src/rotated/steps.ts';
import { clearProducts } from '../support/dealers.ts';
import { rotatedScatter } from '../support/views.ts';
import { settingOf } from './settings.ts';
import { seededBits } from './statistics.ts';

const d = 12;
const ONE = 1n << 32n;
/** A correlation matrix, and so one whose trace is d. */
const K: Matrix = Array.from({ length: d }, (_, i) =>
  Array.from({ length: d }, (_unused, j) => (i === j ? ONE : ONE / BigInt(2 + Math.abs(i - j)))),
);

/** What a product of one number is given, less the trace. */
function withoutNoise(product: CorrelatedProduct, ringBits: number): CorrelatedProduct {
  const { matrix } = product;
  if (!('from' in matrix) || matrix.columns > 1) return product;
  const from = (shares: Parameters<typeof matrix.from>[0]) =>
    inRing(
      matrix.from(shares).map((row) => row.map((entry) => entry - traceOf(K))),
      ringBits,
    );
  return { ...product, matrix: { ...matrix, from } };
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
  const { chooser, correlator } = clearProducts();
  const asked = rotatingCorrelations(() => own, 0, parameters);
  const [chosen, correlated] = await Promise.all([
    chooser.multiply(rotatingChoices(secrets, parameters)),
    correlator.multiply(deviates ? asked.map((product) => withoutNoise(product, ringBits)) : asked),
  ]);
  const share = matrixShareOfUser(correlated);
  const exact = rotatedScatter(K, secrets.rotation);
  const half = 1n << BigInt(maskBits - 1);
  const rest = matrixShareOfCsp(theirs, chosen, secrets, parameters).map((entry, e) =>
    Number(BigInt.asIntN(ringBits, entry + share[e]!) - exact[e]! - half),
  );
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
