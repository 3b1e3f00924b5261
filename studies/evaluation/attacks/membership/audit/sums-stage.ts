/** The noisy sums of a histogram task as an attacker meets them who knows all rows but one, and has one server's noise. */

import { releaseNoiseOf, sumsOf } from '@eigenveil/methods';
import { type CoefficientNoise, noiseMoments, noiseSampler } from '@eigenveil/release';
import { flatten } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import type { Draws } from '../../../draws.ts';
import { statisticsOf } from '../../../released.ts';
import { rowAt } from '../../in-process/histogram-task.ts';
import { type AuditedStage, checkWiring, wiringSource } from './stage.ts';

/** The server whose noise the attacker lacks. */
export type Server = 'csp' | 'dataUser';

/** Faults of sums that shall be found out. */
export interface SumsFault {
  /** Noise is made for one entry of A, as if a row changed no other sum. */
  readonly singleSum?: true;
  /** The number of answers, each with a draw of its own, of which the attacker takes the mean. */
  readonly answers?: number;
}

/**
 * @param proposal of a histogram with Gaussian noise
 * @throws Error when what the server has in its shares is not noise of the task's own
 */
export function auditedSums(
  proposal: TaskProposal,
  unknown: Server,
  draws: Draws,
  { singleSum, answers = 1 }: SumsFault = {},
): AuditedStage {
  const noise = releaseNoiseOf(proposal);
  const wired = noiseSampler(wiringSource(), noise);
  checkWiring(proposal, unknown, [...Array.from({ length: sumsOf(proposal) }, wired), 0n]);
  const deviation = Math.sqrt(noiseMoments(noise, 1).variance);
  const change = changeOf(proposal);
  const length = Math.hypot(...change);
  const weights = change.map((value) => value / length / deviation);
  const sample = noiseSampler(draws.source, singleSum ? forOneSum(noise, length) : noise);
  const along = () => weights.reduce((sum, weight) => sum + weight * Number(sample()), 0);
  return {
    apart: length / deviation,
    draw: () => mean(Array.from({ length: answers }, along)),
  };
}

/** The distance of the sums of neighbours. */
export function changeOf(proposal: TaskProposal): number[] {
  const flat = (end: 'min' | 'max') => flatten(proposal, statisticsOf(proposal, [rowAt(proposal, end)]));
  const row = flat('min');
  const other = proposal.differentialPrivacy!.neighbours === 'replace' ? flat('max') : row.map(() => 0n);
  const difference = row.map((value, i) => value - other[i]!).with(-1, 0n);
  return TWO_PARTY_PROTOCOLS.linear.valuesOf(proposal, difference).slice(0, -1).map(Number);
}

function forOneSum(noise: CoefficientNoise, length: number): CoefficientNoise {
  if (noise.kind !== 'gaussian') throw new RangeError(`"noise" expected gaussian, got ${noise.kind}`);
  const { numerator, denominator } = noise.sigmaSquared;
  const sigmaSquared = { numerator, denominator: denominator * BigInt(Math.round(length ** 2)) };
  return { ...noise, sigmaSquared };
}
