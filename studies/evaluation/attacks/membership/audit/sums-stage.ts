/** The noisy sums of a histogram task as an attacker meets them who knows all rows but one, and has one server's noise. */

import { isDeepStrictEqual } from 'node:util';
import { releaseNoiseOf, sumsOf } from '@eigenveil/methods';
import { draw, sharesAtCsp, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { type CoefficientNoise, noiseMoments, noiseSampler } from '@eigenveil/release';
import { flatten, layout } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { toRing } from '@eigenveil/two-party/insides';
import { Draws } from '../../../draws.ts';
import { statisticsOf } from '../../../released.ts';
import { rowAt } from '../../in-process/histogram-task.ts';
import type { AuditedStage } from './stage.ts';

/** Whose noise the attacker lacks. */
export type Server = 'csp' | 'dataUser';

/** What is wrong with sums that shall be found out. */
export interface SumsFault {
  /** Noise is made for one entry of A, as if a row changed no other sum. */
  readonly singleSum?: true;
  /** So many answers, each with a draw of its own, of which the attacker takes the mean. */
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
  checkWiring(proposal, unknown, noise);
  const deviation = Math.sqrt(noiseMoments(noise, 1).variance);
  const change = changeOf(proposal);
  const length = Math.hypot(...change);
  const weights = change.map((value) => value / length / deviation);
  const sample = noiseSampler(draws.source, singleSum ? forOneSum(noise, length) : noise);
  const along = () => weights.reduce((sum, weight) => sum + weight * Number(sample()), 0);
  return {
    apart: length / deviation,
    draw: () => Array.from({ length: answers }, along).reduce((sum, x) => sum + x, 0) / answers,
  };
}

/** How far the sums of neighbours are apart. */
export function changeOf(proposal: TaskProposal): number[] {
  const flat = (end: 'min' | 'max') => flatten(proposal, statisticsOf(proposal, [rowAt(proposal, end)]));
  const row = flat('min');
  const other = proposal.differentialPrivacy!.neighbours === 'replace' ? flat('max') : row.map(() => 0n);
  const difference = row.map((value, i) => value - other[i]!).with(-1, 0n);
  return TWO_PARTY_PROTOCOLS.linear.valuesOf(proposal, difference).slice(0, -1).map(Number);
}

/** Thousands of draws make the sampler once. That the server has such noise in its shares is looked at before. */
function checkWiring(proposal: TaskProposal, server: Server, noise: CoefficientNoise): void {
  const source = () => new Draws('wiring').source;
  const sample = noiseSampler(source(), noise);
  const expected = [...Array.from({ length: sumsOf(proposal) }, () => sample()), 0n];
  const packing = layout(proposal);
  const zeros = packing.valueBits.map(() => 0n);
  const shares =
    server === 'csp'
      ? sharesAtCsp(proposal, zeros, source())
      : sharesAtDataUser(proposal, { ...draw({ task: proposal, packing }, source()), blinding: zeros });
  if (!isDeepStrictEqual([...shares], toRing(TWO_PARTY_PROTOCOLS.linear.shareBits(proposal), expected)))
    throw new Error(`noise of a histogram: from ${server} that of the task expected, got other`);
}

function forOneSum(noise: CoefficientNoise, length: number): CoefficientNoise {
  if (noise.kind !== 'gaussian') throw new RangeError(`"noise" expected gaussian, got ${noise.kind}`);
  const { numerator, denominator } = noise.sigmaSquared;
  const sigmaSquared = { numerator, denominator: denominator * BigInt(Math.round(length ** 2)) };
  return { ...noise, sigmaSquared };
}
