/**
 * The stage of Eigenveil as the comparison sees it: exact integer statistics R, V, Q with the Gaussian noise, rounded to integers, that the noise plan of a
 * task asks for, of both servers or of the CSP alone. Plan, weights and sampler are those of the protocol.
 */

import { SCATTER_WEIGHTS } from '@eigenveil/methods';
import { noisePlan, type RandomSource, type StageTask, sampleNoise } from '@eigenveil/privacy';
import {
  bounded,
  centredScatter,
  featuresOf,
  fromUpperTriangle,
  pooled,
  secondMoment,
  sumOfRows,
  topEigenvectors,
  upperTriangle,
} from './matrix.ts';
import { keepsNominal, type PcaMethod, type PcaSetting, type Row, type Site } from './method.ts';

/** Sums of squares of up to 2^21 rows stay exact in doubles. */
const FRACTION_BITS = 16;
const UNIT = 2 ** FRACTION_BITS;

/** Servers that add noise. */
export type Draws = 1 | 2;

/** What the decomposition is computed from, and what each server knows beside: its own noise. */
export interface StageRelease {
  readonly noisy: readonly bigint[];
  readonly exact: readonly bigint[];
  readonly noises: readonly (readonly bigint[])[];
}

/** The upper triangle of R, V, Q and the number of owners, in units of 2^-32, 2^-16, 1 and 1, of rows that are clipped to C and divided by it. */
export function stageRelease(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  draws: number,
): StageRelease {
  const dimension = featuresOf(sites);
  const rows = pooled(bounded(sites, setting)).map(discretise);
  const exact = [
    ...upperTriangle(secondMoment(rows, dimension)),
    ...sumOfRows(rows, dimension),
    rows.length,
    sites.length,
  ].map(BigInt);
  const noises =
    setting.epsilon === Infinity ? [] : drawNoises(source, dimension, sites.length, setting, draws);
  const noisy = exact.map((value, i) => noises.reduce((sum, noise) => sum + noise[i]!, value));
  return { noisy, exact, noises };
}

function drawNoises(
  source: RandomSource,
  dimension: number,
  owners: number,
  setting: PcaSetting,
  draws: number,
): bigint[][] {
  const task = stageTask(dimension, owners, setting);
  const plan = noisePlan(task);
  return Array.from({ length: draws }, () => sampleNoise(source, task, plan));
}

export function stageTask(dimension: number, owners: number, { epsilon, dpDelta }: PcaSetting): StageTask {
  return {
    weights: SCATTER_WEIGHTS,
    collectsR: true,
    features: dimension,
    classes: [1],
    fractionBits: FRACTION_BITS,
    maximumOwners: owners,
    setting: {
      epsilon,
      delta: dpDelta,
      neighbours: 'add-remove',
      clippingNorm: 1,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  };
}

/** Rounded towards zero, so that no row becomes longer than 1. */
function discretise(row: Row): number[] {
  // Adding 0 turns −0 into 0.
  return row.map((x) => Math.trunc(x * UNIT) + 0);
}

/** Undefined where the noisy number of rows is not positive: the protocol refuses to decompose that. */
export function stageComponents(
  noisy: readonly bigint[],
  dimension: number,
  components: number,
): number[][] | undefined {
  const { R, V, Q } = partsOf(noisy, dimension);
  if (Q <= 0) return undefined;
  // The public shift of R moves no component, so it is left out.
  return topEigenvectors(centredScatter(fromUpperTriangle(R, dimension), V, Q), components);
}

/** In the units of rows in the unit ball; undefined where `stageComponents` is. */
export function stageMean(
  noisy: readonly bigint[],
  dimension: number,
  { clippingNorm }: PcaSetting,
): number[] | undefined {
  const { V, Q } = partsOf(noisy, dimension);
  return Q <= 0 ? undefined : V.map((sum) => (sum / Q / UNIT) * Math.min(clippingNorm, 1));
}

function partsOf(noisy: readonly bigint[], dimension: number): { R: number[]; V: number[]; Q: number } {
  const entries = noisy.map(Number);
  const triangle = (dimension * (dimension + 1)) / 2;
  return {
    R: entries.slice(0, triangle),
    V: entries.slice(triangle, triangle + dimension),
    Q: entries[triangle + dimension]!,
  };
}

interface Variant {
  readonly name: string;
  readonly title: string;
  readonly trust: string;
  readonly remarks: string;
  readonly draws: Draws;
}

function method({ name, title, trust, remarks, draws }: Variant): PcaMethod {
  return {
    name,
    title,
    reference: 'the differential-privacy stage of this project',
    panel: 'approximate',
    dependsOnSites: false,
    promise: {
      neighbours: 'add-remove',
      epsilon: 'approximate',
      trust,
      means: 'protected',
      counts: 'protected',
      remarks,
      keeps: keepsNominal,
    },
    run: (source, sites, setting) =>
      stageComponents(
        stageRelease(source, sites, setting, draws).noisy,
        featuresOf(sites),
        setting.components,
      ),
  };
}

export const eigenveilOne: PcaMethod = method({
  name: 'eigenveil-one',
  title: 'Eigenveil, one server’s noise',
  trust:
    'the two servers not to join, and nobody to show the CSP the result: it knows all the noise that is in it',
  remarks:
    'Noise of the CSP alone, as tasks may have it; and what is left of both servers’ noise for one that subtracts its own.',
  draws: 1,
});

export const eigenveil: PcaMethod = method({
  name: 'eigenveil',
  title: 'Eigenveil',
  trust: 'the two servers not to join: each alone is promised (ε, δ) by the other’s noise',
  remarks: 'Both servers’ noise, as released. Gaussian noise rounded to integers, drawn exactly.',
  draws: 2,
});
