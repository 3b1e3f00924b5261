/** Inference of membership: trials are what they say, a result that holds a row exactly is told, and one that is all noise is not. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparison } from '../../../../evaluation/attacks/membership/attack.ts';
import { INFERENCES } from '../../../../evaluation/attacks/membership/experiments.ts';
import { type Inference, runInference } from '../../../../evaluation/attacks/membership/inference.ts';
import {
  likelihoodRatio,
  standardisedRatio,
} from '../../../../evaluation/attacks/membership/likelihood-ratio.ts';
import { reconstructionError } from '../../../../evaluation/attacks/membership/statistics.ts';
import { drawWorlds, poolOf } from '../../../../evaluation/attacks/membership/worlds.ts';
import { privacyOf } from '../../../../evaluation/attacks/private.ts';
import { BlockSchema } from '../../../../evaluation/blocks.ts';
import { Draws } from '../../../../evaluation/draws.ts';
import { byPerson, type Person } from '../../../../evaluation/scene.ts';
import { variantOf } from '../../../../evaluation/scenes/split.ts';
import { sceneOf, trialsOf } from '../support.ts';

const scene = await sceneOf('iris');

const inferred = (changes: Partial<Inference> = {}) =>
  runInference(
    {
      id: 'inference',
      attack: likelihoodRatio({ without: 80, with: 30 }),
      compared: 0,
      proposalOf: () =>
        variantOf(scene, { method: 'pca', outputs: ['mean'], components: 3, allowFullRank: true }),
      sizesOf: () => [4],
      trialsOf: () => ({ deciding: 60, others: 0 }),
      ...changes,
    },
    { scene, effort: 'quick', seed: 'seed', note: () => undefined },
  );

describe('inference of membership', () => {
  it('tells a row of a result that holds all of few rows', async () => {
    const { attack, control } = await inferred();
    expect(mean(attack)).toBeGreaterThan(0.9);
    expect(mean(control)).toBeLessThan(0.3);
  });

  it('tells nothing of a result that is all noise', { tags: ['long'] }, async () => {
    const { attack, control, facts } = await inferred({
      proposalOf: () =>
        variantOf(scene, {
          method: 'pca',
          outputs: ['mean'],
          components: 2,
          differentialPrivacy: {
            ...privacyOf(scene),
            ...{ epsilon: 0.01, neighbours: 'replace', clippingNorm: 2, noise: 'csp' },
          },
        }),
      sizesOf: () => [30],
      candidatesOf: (_, pool) => pool.slice(0, 3),
      trialsOf: () => ({ deciding: 120, others: 0 }),
    });
    // The deviation of 120 trials of some per cent.
    expect(Math.abs(mean(attack) - mean(control))).toBeLessThan(0.1);
    expect(Math.abs(Number(facts!['area under the curve']) - 0.5)).toBeLessThan(0.12);
  });

  it('has pictures that reports can hold, and is the same for the same seed', async () => {
    const run = () => trialsOf(INFERENCES, 'membership-reconstruction-error', { scene });
    const outcome = await run();
    expect(outcome.blocks!.map((block) => BlockSchema.parse(block))).toHaveLength(1);
    expect(await run()).toEqual(outcome);
  });
});

describe('scenes', () => {
  it('of people with several rows are left out where each row is to be a person', () => {
    const pairs = scene.owners.map((own) => own.map((row, i) => ({ ...row, person: `pair ${i >> 1}` })));
    const grouped = { ...scene, owners: pairs };
    const omitting = INFERENCES.filter(({ omits }) => omits?.(grouped) === 'people with several rows');
    expect(omitting.map(({ id }) => id)).toEqual(['membership-single-rows', 'membership-full-rank']);
    expect(INFERENCES.every(({ omits }) => omits?.(scene) !== 'people with several rows')).toBe(true);
  });
});

describe('worlds', () => {
  const pool = poolOf(scene);

  it('differ by the candidate and a stranger, of people who are otherwise the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 100 }), fc.string(), (rows, seed) => {
        const { candidate, others, stranger } = drawWorlds(pool, rows, new Draws(seed));
        const people = [candidate, stranger, ...byPerson(others)].map(([first]) => first!.person);
        expect(others).toHaveLength(rows - candidate.length);
        expect(new Set(people).size).toBe(people.length);
      }),
      { numRuns: 50 },
    );
  });

  it('have the candidate that is asked for once, and not too few people', () => {
    const candidate = pool[3]!;
    const all = drawWorlds(pool, pool.length - 1, new Draws('a'), candidate);
    expect(all.candidate).toBe(candidate);
    expect([...all.others, ...all.stranger]).not.toContain(candidate[0]);
    expect(() => drawWorlds(pool, pool.length, new Draws('a'))).toThrow(RangeError);
  });

  it('never show the attacker the people that it draws from', () => {
    const shown = new Set(scene.publicSample.map(({ person }) => person));
    expect(pool.flat().some(({ person }) => shown.has(person))).toBe(false);
  });
});

describe('what is looked at', () => {
  it('is in deviations of results without the candidate', () => {
    const draws = new Draws('gaussian');
    const sample = (shift: number) => [draws.normal() + shift, 5 + 3 * draws.normal(), 7];
    const ratio = standardisedRatio(
      Array.from({ length: 4000 }, () => sample(0)),
      Array.from({ length: 4000 }, () => sample(2)),
    );
    expect(ratio([0, 5, 7])).toBeCloseTo(0, 1);
    expect(ratio([2, 5, 7])).toBeCloseTo(2, 0);
    // Nothing of the second number, of which the candidate changes nothing.
    expect(ratio([2, 14, 7])).toBeCloseTo(ratio([2, 5, 7]), 0);
  });

  it('is what components leave of a row', () => {
    const vectors = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    expect(reconstructionError({ vectors, mean: [1, 1, 1] }, [5, 6, 3], [0, 0, 0])).toBeCloseTo(4, 12);
    expect(reconstructionError({ vectors }, [5, 6, 3], [0, 0, 0])).toBeCloseTo(9, 12);
  });

  it('is compared with all but one in a hundred others', () => {
    const people: Person[] = scene.publicSample.slice(0, 30).map((row) => [row]);
    const byPlace = (person: Person) => ({ score: () => people.indexOf(person), rare: 0 });
    const threshold = comparison(byPlace, people);
    expect(threshold({ vectors: [], eigenvalues: [] })).toBeCloseTo(28.71, 9);
  });
});
