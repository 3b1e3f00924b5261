/**
 * The stage of differential privacy as an attacker meets it who knows all rows but one: the exact statistics with the worst row and without, as owners clip and
 * sum them, and the noise of those whose noise it does not know. It sees noisy statistics themselves, so more than any result that is computed from them.
 */

import { isDeepStrictEqual } from 'node:util';
import { type NoisePlan, type RandomSource, type Rational, sampleNoise } from '@eigenveil/privacy';
import { draw, sharesAtCsp, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { drawNoise, flatten, layout } from '@eigenveil/statistics';
import { noisePlanOf, placesOf, shiftOf, stageTaskOf, type TaskProposal } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { toRing } from '@eigenveil/two-party/insides';
import { Draws } from '../../../draws.ts';
import { statisticsOf } from '../../../released.ts';
import type { SceneRow } from '../../../scene.ts';

export type Drawer = Parameters<typeof drawNoise>[1];

/** Neighbours: all rows that there are in either. */
export interface Neighbours {
  readonly left: readonly SceneRow[];
  readonly right: readonly SceneRow[];
}

/** Faults of a stage that shall be found out. */
export interface Fault {
  /** The noise has this times the deviation that it should have. */
  readonly noiseScale?: number;
  /** Rows are summed as they are. */
  readonly unclipped?: true;
  /** Both servers draw from one seed, so that each knows what the other has drawn. */
  readonly sharedSeed?: true;
}

export interface AuditedStage {
  /** The distance of the neighbours, in deviations of the noise that there should be. */
  readonly apart: number;
  /** One draw of all unknown noise, along the direction in which the neighbours differ, in the same deviations. */
  draw(): number;
}

/**
 * @param proposal with differential privacy
 * @param unknown who draws noise that the attacker does not know: what it drew itself, or was told, it subtracts
 * @throws Error when one of `unknown` would draw other noise than the stage's, or none
 */
export function auditedStage(
  proposal: TaskProposal,
  neighbours: Neighbours,
  unknown: readonly Drawer[],
  draws: Draws,
  fault: Fault = {},
): AuditedStage {
  const stage = stageTaskOf(proposal)!;
  const plan = noisePlanOf(proposal)!;
  const noise = sampleNoise(wiringSource(), stage, plan);
  const shift = shiftOf(proposal);
  for (const drawer of new Set(unknown))
    checkWiring(proposal, drawer, drawer === 'dataUser' ? noise.map((value, i) => value + shift[i]!) : noise);
  const deviations = deviationsOf(proposal, plan).map((deviation) => deviation * Math.sqrt(unknown.length));
  const change = changeOf(
    fault.unclipped ? { ...proposal, differentialPrivacy: null } : proposal,
    neighbours,
  );
  // Sums that take no noise must not change, or one look would distinguish the neighbours.
  const isCertain = change.some((value, i) => value !== 0 && deviations[i] === 0);
  const signal = change.map((value, i) => (deviations[i] === 0 ? 0 : value / deviations[i]!));
  const apart = isCertain ? Infinity : Math.hypot(...signal);
  const weights = signal.map((value, i) => (deviations[i] === 0 ? 0 : value / apart / deviations[i]!));
  const drawn = fault.noiseScale === undefined ? plan : scaled(plan, fault.noiseScale);
  const sources: RandomSource[] = unknown.map((_, i) => draws.of(`noise ${i}`).source);
  const ofAttacker = draws.of('noise 0').source;
  return {
    apart,
    draw: () => {
      let along = 0;
      for (const source of sources) {
        const own = sampleNoise(source, stage, drawn);
        const known = fault.sharedSeed ? sampleNoise(ofAttacker, stage, drawn) : undefined;
        for (let i = 0; i < own.length; i += 1) along += weights[i]! * Number(own[i]! - (known?.[i] ?? 0n));
      }
      return along;
    },
  };
}

/** Thousands of draws make the sampler of noise once. That what a drawer adds is such noise is looked at before, with this randomness on both sides. */
export const wiringSource = (): RandomSource => new Draws('wiring').source;

/**
 * @param expected the noise; of the data user with the public shift, which its shares have, too
 * @throws Error where a server has other noise in its shares, statistics and blinding being zeros, or an owner within what it encrypts
 */
export function checkWiring(proposal: TaskProposal, drawer: Drawer, expected: readonly bigint[]): void {
  const packing = layout(proposal);
  const zeros = packing.valueBits.map(() => 0n);
  const added = {
    csp: () => [...sharesAtCsp(proposal, zeros, wiringSource())],
    dataUser: () => {
      const drawn = draw({ task: proposal, packing }, wiringSource());
      return [...sharesAtDataUser(proposal, { ...drawn, blinding: zeros })];
    },
    owner: () => drawNoise(proposal, 'owner', wiringSource()),
  }[drawer]();
  const ring = TWO_PARTY_PROTOCOLS[proposal.twoParty].shareBits(proposal);
  if (!isDeepStrictEqual(added, drawer === 'owner' ? expected : toRing(ring, expected)))
    throw new Error(
      `noise of ${proposal.differentialPrivacy!.noise}: from ${drawer} that of the plan expected, got other`,
    );
}

function changeOf(proposal: TaskProposal, { left, right }: Neighbours): number[] {
  const [withRow, without] = [left, right].map((rows) => flatten(proposal, statisticsOf(proposal, rows)));
  return withRow!.map((value, i) => Number(value - without![i]!));
}

/** Deviations of one draw, value by value in the flat order. */
function deviationsOf(proposal: TaskProposal, { variances, offDiagonal }: NoisePlan): number[] {
  const { R, labellings, length } = placesOf(proposal);
  const of = ({ numerator, denominator }: Rational) => Math.sqrt(Number(numerator) / Number(denominator));
  const deviations = new Array<number>(length).fill(0);
  deviations.fill(of(offDiagonal), R.from, R.to);
  const d = proposal.features.length;
  for (let at = R.from, i = 0; at < R.to; at += d - i, i += 1) deviations[at] = of(variances.R);
  for (const { V, M } of labellings.flat()) {
    deviations.fill(of(variances.V), V.from, V.to);
    deviations.fill(of(variances.M), M.from, M.to);
  }
  return deviations;
}

function scaled(plan: NoisePlan, scale: number): NoisePlan {
  // In thousandths: the sampler takes fractions of integers.
  const factor = BigInt(Math.round(1000 * scale)) ** 2n;
  const times = ({ numerator, denominator }: Rational): Rational => ({
    numerator: numerator * factor,
    denominator: denominator * 1_000_000n,
  });
  const { R, V, M } = plan.variances;
  return {
    ...plan,
    variances: { R: times(R), V: times(V), M: times(M) },
    offDiagonal: times(plan.offDiagonal),
  };
}
