/**
 * The proof of an audit: whether a number of runs on two neighbours can be of an (ε, δ)-private mechanism (Jagielski, Ullman, Oprea, "Auditing differentially
 * private machine learning", NeurIPS 2020; bounds by Clopper and Pearson), and what they could have shown.
 *
 * Many canaries in one run (Steinke, Nasr, Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023) would not do better here. d rows at right
 * angles to each other use the diagonal of R alone, share the noise of the count, and need d²/2 draws of noise for d canaries; and the bound from one run is looser.
 * Two neighbours in two features need six draws, and their bound is tight for Gaussian noise.
 */

import { epsilonBound, lowerRate, pOfPromise, upperRate } from '@eigenveil/testbed/goodness/audit';
import jstat from '@eigenveil/testbed/goodness/jstat';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { epsilonOfGaussian } from '../../../../privacy/methods/actual.ts';
import { Draws } from '../../../draws.ts';
import type { AuditedStage } from './stage.ts';

export interface PrivacyPromise {
  readonly epsilon: number;
  readonly dpDelta: number;
}

/** Probability that a bound of one rate is wrong: 5 % for both. */
const ERROR = 0.025;
/** Share of the runs that chooses an event; they are not counted. */
const PILOT = 0.1;

export function audit(stage: AuditedStage, promise: PrivacyPromise, runs: number) {
  const pilot = Array.from({ length: Math.ceil(PILOT * runs) }, () => stage.draw());
  const spread = Math.sqrt(pilot.reduce((sum, x) => sum + x * x, 0) / pilot.length);
  const threshold = bestThreshold(stage.apart, spread, promise.dpDelta, runs);
  // Noise is drawn without a look at rows, so one draw serves both neighbours: bounds hold whatever sides have to do with each other.
  let [left, right] = [0, 0];
  for (let i = 0; i < runs; i += 1) {
    const noise = stage.draw();
    left += Number(noise + stage.apart > threshold);
    right += Number(noise > threshold);
  }
  const counts = { left, right, runs };
  return {
    counts,
    p: pOfPromise(counts, promise),
    /** No smaller ε is possible, at a level of 5 %. */
    proven: epsilonBound(counts, promise.dpDelta, ERROR),
    /** The largest ε that so many runs can prove at that level, of a mechanism without any privacy. */
    provable: epsilonBound({ left: runs, right: 0, runs }, promise.dpDelta, ERROR),
    /** Difference of the event's rates, at the same level. */
    distance: {
      value: (left - right) / runs,
      low: Math.max(0, lowerRate(left, runs, ERROR) - upperRate(right, runs, ERROR)),
      high: upperRate(left, runs, ERROR) - lowerRate(right, runs, ERROR),
    },
  };
}

/** The probability that a normal number is above x. */
const above = (x: number): number => jstat.erfc(x / Math.SQRT2) / 2;

const STEPS = 80;

/** The place from which on an event proves most of Gaussian noise of this deviation. */
function bestThreshold(apart: number, spread: number, dpDelta: number, runs: number): number {
  if (!Number.isFinite(apart) || spread === 0) return Math.min(apart, Number.MAX_VALUE) / 2;
  const candidates = Array.from({ length: STEPS }, (_, i) => apart / 2 + spread * (-1 + (5 * i) / STEPS));
  const expected = candidates.map((threshold) =>
    epsilonBound(
      {
        left: Math.round(runs * above((threshold - apart) / spread)),
        right: Math.round(runs * above(threshold / spread)),
        runs,
      },
      dpDelta,
      ERROR,
    ),
  );
  return candidates[expected.indexOf(Math.max(...expected))]!;
}

const POWER = 0.8;
const REPETITIONS = 100;
const SEARCHES = 12;

/**
 * The ε of the mechanism with the most noise that is found with probability 0.8: by drawing counts of Gaussian noise that is too small by some factor.
 * @param level of p-values
 */
export function detectable(
  apart: number,
  promise: PrivacyPromise,
  runs: number,
  level: number,
): { readonly scale: number; readonly epsilon: number } {
  let [low, high] = [0.01, 1];
  for (let i = 0; i < SEARCHES; i += 1) {
    const middle = (low + high) / 2;
    if (powerOf(middle, apart, promise, runs, level) >= POWER) low = middle;
    else high = middle;
  }
  return {
    scale: low,
    epsilon: epsilonOfGaussian({ sigma: low, sensitivity: apart, dpDelta: promise.dpDelta }),
  };
}

/** The probability that an audit of Gaussian noise that is too small by this factor is found, by drawing its counts. */
export function powerOf(
  scale: number,
  apart: number,
  { epsilon, dpDelta }: PrivacyPromise,
  runs: number,
  level: number,
): number {
  const threshold = bestThreshold(apart, scale, dpDelta, runs);
  const [p, q] = [above((threshold - apart) / scale), above(threshold / scale)];
  const draws = new Draws(`power ${scale}`);
  const binomial = (probability: number) =>
    Math.min(
      runs,
      Math.max(
        0,
        Math.round(runs * probability + Math.sqrt(runs * probability * (1 - probability)) * draws.normal()),
      ),
    );
  const found = Array.from({ length: REPETITIONS }, () => {
    const right = binomial(q);
    // The event on the right is part of that on the left, for they have the same draws.
    const left = Math.min(runs, right + binomial(Math.max(0, p - q)));
    return Number(epsilonBound({ left, right, runs }, dpDelta, level / 2) > epsilon);
  });
  return mean(found);
}
