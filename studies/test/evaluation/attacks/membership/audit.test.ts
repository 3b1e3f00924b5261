/** Audits keep to what they know: mechanisms of a known ε, the stage as it is, and faults of it. */

import { sensitivitySquared } from '@eigenveil/privacy';
import { noisePlanOf, stageTaskOf } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { histogramProposal, STRATEGIES } from '../../../../evaluation/attacks/in-process/histogram-task.ts';
import { audit, detectable, powerOf } from '../../../../evaluation/attacks/membership/audit/audit.ts';
import { PROMISE, type Relation } from '../../../../evaluation/attacks/membership/audit/audits.ts';
import { auditedProposal, KINDS, type Kind } from '../../../../evaluation/attacks/membership/audit/canary.ts';
import { AUDITS, ofStage, ofSums } from '../../../../evaluation/attacks/membership/audit/experiments.ts';
import type { Fault } from '../../../../evaluation/attacks/membership/audit/stage.ts';
import {
  changeOf,
  type Server,
  type SumsFault,
} from '../../../../evaluation/attacks/membership/audit/sums-stage.ts';
import { Draws } from '../../../../evaluation/draws.ts';
import { epsilonOfGaussian } from '../../../../privacy/methods/actual.ts';
import { outcomeOf, sceneOf } from '../support.ts';

const { epsilon, dpDelta: delta } = PROMISE;
/** Enough for known faults. Seeds are fixed. */
const RUNS = 1000;
/** Gaussian noise of deviation 1 is (1, 0.01)-private for so large a change, and for no larger one (Balle and Wang 2018). */
const APART = 0.5331;

const gaussian = (apart: number, seed: string) => {
  const draws = new Draws(seed);
  return { apart, draw: () => draws.normal() };
};

const scene = await sceneOf('iris');

const SERVERS = ofStage('servers', ['csp']);

const stage = (kind: Kind, neighbours: Relation, { methods } = SERVERS, fault?: Fault) =>
  methods[kind]!(scene, neighbours, new Draws(`${kind} ${neighbours}`), fault);

describe('an audit of a mechanism whose ε is known', () => {
  it('never proves more than that, and comes near it', () => {
    const audits = Array.from({ length: 40 }, (_, i) => audit(gaussian(APART, `exact ${i}`), PROMISE, 5000));
    // Each is wrong with probability 0.05 at most, and in fact far less often: both bounds have to fail together.
    expect(audits.filter(({ proven }) => proven > PROMISE.epsilon).length).toBeLessThanOrEqual(2);
    expect(audits.filter(({ p }) => p <= 0.05).length).toBeLessThanOrEqual(2);
    const long = audit(gaussian(APART, 'long'), PROMISE, 200_000);
    expect(long.proven).toBeLessThanOrEqual(PROMISE.epsilon);
    expect(long.proven).toBeGreaterThan(0.9);
  });

  it('finds one that has more than the promise', () => {
    const { p, proven } = audit(gaussian(2 * APART, 'twice'), PROMISE, 5000);
    expect(p).toBeLessThan(1e-3);
    expect(proven).toBeGreaterThan(1.5);
  });

  it('proves of no noise at all what so many runs can prove', () => {
    const { proven, provable, distance } = audit({ apart: 1, draw: () => 0 }, PROMISE, 1000);
    expect(proven).toBe(provable);
    expect(distance.value).toBe(1);
    // Clopper and Pearson for 0 and 1000 of 1000: 1 − 0.025^(1/1000) and its mirror image.
    const rate = 0.025 ** (1 / 1000);
    expect(provable).toBeCloseTo(Math.log((rate - PROMISE.dpDelta) / (1 - rate)), 6);
  });

  it('says what it would find: as much as it does', () => {
    const { scale, epsilon } = detectable(APART, PROMISE, 2000, 0.05);
    expect(epsilon).toBeGreaterThan(PROMISE.epsilon);
    const found = Array.from({ length: 60 }, (_, i) => {
      const draws = new Draws(`small ${i}`);
      return audit({ apart: APART, draw: () => scale * draws.normal() }, PROMISE, 2000).p <= 0.05;
    });
    // 0.8, within four deviations of 60 audits.
    expect(found.filter(Boolean).length).toBeGreaterThan(60 * (0.8 - 4 * 0.052));
    expect(powerOf(1, APART, PROMISE, 2000, 0.05)).toBeLessThanOrEqual(0.05);
  });
});

it('what an experiment says that it would find, it finds at the level of the whole run', {
  tags: ['long'],
}, async () => {
  const outcome = await outcomeOf(AUDITS, 'audit-csp-data-user', { scene, seed: 'found' });
  if (outcome.kind !== 'test') throw new TypeError('expected a test');
  // 2,500 runs, four audits, and a hundred experiments at 0.001; Gaussian noise of this deviation has the ε that is said.
  const apart = APART / 0.4818;
  expect(epsilonOfGaussian({ sigma: 1, sensitivity: apart, dpDelta: 0.01 })).toBeCloseTo(
    outcome.detectable!.size,
    1,
  );
  const found = Array.from({ length: 40 }, (_, i) => audit(gaussian(apart, `level ${i}`), PROMISE, 2500).p);
  expect(found.filter((p) => 4 * p <= 0.001 / 100).length).toBeGreaterThan(40 * (0.8 - 4 * 0.063));
});

describe('the stage under audit', () => {
  it.each(
    KINDS.flatMap((kind) =>
      (['add-remove', 'replace'] as const).map((neighbours) => [kind, neighbours] as const),
    ),
  )('has neighbours as far apart as noise is made for: %s, %s', (kind, neighbours) => {
    const proposal = auditedProposal(scene, kind, neighbours, 'servers');
    const task = stageTaskOf(proposal)!;
    const { variances, clippingBound } = noisePlanOf(proposal)!;
    // σ = multiplier · Δ / weight, the weight of R being 1/B².
    const deviation = Math.sqrt(Number(variances.R.numerator) / Number(variances.R.denominator));
    const multiplier = deviation / Number(clippingBound) / Math.sqrt(sensitivitySquared(task, neighbours));
    const apart = stage(kind, neighbours).apart * multiplier;
    expect(apart).toBeLessThanOrEqual(1);
    expect(apart).toBeGreaterThan(0.995);
  });

  it('keeps its promise, and with known faults does not', { tags: ['long'] }, () => {
    const p = (fault?: Fault) => audit(stage('pca', 'add-remove', SERVERS, fault), PROMISE, RUNS).p;
    expect(p()).toBeGreaterThan(0.05);
    expect(p({ noiseScale: 0.5 })).toBeLessThan(1e-3);
    expect(p({ unclipped: true })).toBeLessThan(1e-3);
    expect(p({ sharedSeed: true })).toBeLessThan(1e-3);
  });

  it('is not audited with noise that nobody draws', () => {
    expect(() => stage('pca', 'add-remove', ofStage('csp', ['dataUser']))).toThrow(
      'from dataUser that of the plan expected',
    );
    expect(stage('pca', 'add-remove', ofStage('csp', ['csp'])).apart).toBe(stage('pca', 'add-remove').apart);
  });
});

describe('the sums of a histogram under audit', () => {
  // docs/histograms.md: of two features, with bins 2^3, the tree of two levels.
  it.each([
    ['flat', 0, 1, 2],
    ['tree', 1, 3, 4],
    ['privelet', 2, 4, 8],
  ] as const)('have neighbours as far apart as noise is made for: %s', (_, which, added, replaced) => {
    const squared = (neighbours: Relation) =>
      changeOf(histogramProposal(scene, STRATEGIES[which], { epsilon, delta, neighbours })).reduce(
        (sum, x) => sum + x * x,
        0,
      );
    expect(squared('add-remove')).toBe(2 * added);
    expect(squared('replace')).toBe(2 * replaced);
  });

  it('keep their promise against either server, and with known faults do not', { tags: ['long'] }, () => {
    const p = (server: Server, fault?: SumsFault) => {
      const sums = ofSums(server).methods.privelet!(scene, 'replace', new Draws(`${server} sums`), fault);
      return audit(sums, PROMISE, RUNS).p;
    };
    expect(p('csp')).toBeGreaterThan(0.05);
    expect(p('dataUser')).toBeGreaterThan(0.05);
    expect(p('csp', { singleSum: true })).toBeLessThan(1e-3);
    expect(p('csp', { answers: 16 })).toBeLessThan(1e-3);
  });
});
