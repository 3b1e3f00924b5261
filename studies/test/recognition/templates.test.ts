/**
 * Attacks on templates work where protection is taken away, and fall to chance where they should.
 *
 * @claims S-215, S-216, S-217, S-219, S-220, S-221, S-222
 */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { RealDraws } from '../../privacy/random/real.ts';
import { estimator } from '../../recognition/estimator.ts';
import { bootstrapped, shareOf, verdictOf } from '../../recognition/intervals.ts';
import { loadPeople, type People } from '../../recognition/people.ts';
import { linkCounts } from '../../recognition/templates/counts.ts';
import { forge, STRATEGIES } from '../../recognition/templates/forging.ts';
import { KNOWN, link, MEANS, services } from '../../recognition/templates/linking.ts';
import { projectionOf, reduced } from '../../recognition/templates/projections.ts';
import { ATTACKS, reconstruct } from '../../recognition/templates/reconstructing.ts';
import { renew } from '../../recognition/templates/renewing.ts';
import { sceneOf, templateOf } from '../../recognition/templates/scene.ts';
import { recover, scoresNeeded } from '../../recognition/templates/scores.ts';

const people = (await loadPeople('wisdm_walk_user'))!;
const scene = sceneOf(people, 16);
const kind = { method: 'dca', components: 6 } as const;
const named = <T extends { readonly name: string }>(list: readonly T[], name: string): T =>
  list.find((it) => it.name === name)!;

describe('intervals', () => {
  it('of shares are those of Clopper and Pearson', () => {
    // Tables: 4 of 20 is 5.73 % to 43.66 %, 0 of 20 up to 16.84 %.
    expect(shareOf(4, 20)).toMatchObject({ value: 0.2, n: 20 });
    expect(shareOf(4, 20).low).toBeCloseTo(0.0573, 4);
    expect(shareOf(4, 20).high).toBeCloseTo(0.4366, 4);
    expect([shareOf(0, 20).low, shareOf(20, 20).high]).toEqual([0, 1]);
    expect(shareOf(0, 20).high).toBeCloseTo(0.1684, 4);
  });

  it('over people repeat with their seed, and verdicts keep to the margin', () => {
    const mean = (drawn: readonly number[]) => drawn.reduce((sum, p) => sum + p, 0) / drawn.length;
    expect(bootstrapped(10, 'a', mean)).toEqual(bootstrapped(10, 'a', mean));
    expect(bootstrapped(10, 'a', mean)).not.toEqual(bootstrapped(10, 'b', mean));
    expect(verdictOf({ low: 0.56, high: 0.9 }, 0.5)).toBe('gives away');
    expect(verdictOf({ low: 0.52, high: 0.9 }, 0.5)).toBe('undecided');
    expect(verdictOf({ low: 0.3, high: 0.54 }, 0.5)).toBe('nothing seen');
  });
});

describe('reconstruction', () => {
  it('finds nearly all of 39 features in 35 dimensions whose frame is known', { tags: ['long'] }, () => {
    const { windows, nearlyWhole, verdict } = reconstruct(
      scene,
      { method: 'pca', components: 35 },
      ATTACKS[0]!,
    );
    expect(windows.low).toBeGreaterThan(0.98);
    expect(nearlyWhole).toBe(39);
    expect(verdict).toBe('gives away');
  });

  it('has as much from k known windows as from the frame, and nothing where it takes a frame for none', {
    tags: ['long'],
  }, () => {
    const of = (name: string) => reconstruct(scene, kind, named(ATTACKS, name));
    const known = of('frame known');
    expect(known.windows.low).toBeGreaterThan(0.1);
    expect(known.mean.value).toBeGreaterThan(known.windows.value);
    expect(of('k known windows').windows.value).toBeGreaterThan(known.windows.value - 0.05);
    expect(of('1 known window').windows.value).toBeLessThan(known.windows.value);
    expect(of('frame taken for none').verdict).toBe('nothing seen');
  });

  it('estimates what is linear, and falls back to the mean where inputs say nothing', () => {
    const example = (p: number, i: number) => ({ input: [i, p], output: [2 * i - p + 3] });
    const linear = estimator([0, 1, 2, 3].map((p) => [0, 1, 2, 3, 4].map((i) => example(p, i))));
    expect(linear([10, 1])[0]).toBeCloseTo(22, 3);
    const noise = [3, -1, 2, -4, 1, -1, 4, -2, -3, 1, -2, 2];
    const useless = estimator(
      [0, 1, 2].map((p) => [0, 1, 2, 3].map((i) => ({ input: [noise[4 * p + i]!], output: [i % 2] }))),
    );
    expect(useless([2])[0]).toBeCloseTo(0.5, 1);
  });
});

describe('linkage', () => {
  const setting = { kind, other: 'the same', frames: 'orthogonal' } as const;
  const bare = 'the mean, as if there were no frame';

  it('finds people by their mean where there is no frame, and not where each service has its own', () => {
    const without = link(scene, { ...setting, frames: 'none' }, named(MEANS, bare));
    expect(without.auc.low).toBeGreaterThan(0.7);
    expect(without.verdicts.auc).toBe('gives away');
    const framed = link(scene, setting, named(MEANS, bare));
    expect(framed.auc.low).toBeLessThan(0.55);
    expect(framed.auc.value).toBeLessThan(without.auc.value - 0.15);
  });

  it('finds them again once k windows are known on both sides', { tags: ['long'] }, () => {
    const sides = services(scene, setting);
    const unmasked = link(scene, setting, named(KNOWN, 'k known windows, with the template'), sides);
    expect(unmasked.auc.low).toBeGreaterThan(0.7);
  });

  it('by length works in frames without a translation alone, and by spread in both', () => {
    const auc = (name: string, frames: 'orthogonal' | 'translated') =>
      link(scene, { ...setting, frames }, named(MEANS, name)).auc.value;
    const [length, spread] = ['length of the mean', 'spectrum of the spread'];
    expect(auc(length!, 'orthogonal')).toBeGreaterThan(auc(length!, 'translated') + 0.1);
    expect(auc(spread!, 'translated')).toBeCloseTo(auc(spread!, 'orthogonal'), 6);
  });
});

describe('scores, if they were told', () => {
  it('solve for the template once they are as many as unknowns, and not with one less', () => {
    const projection = projectionOf(
      kind,
      scene.subjects.map(({ early }) => early),
    );
    const template = templateOf(reduced(projection, scene.subjects[0]!.early));
    const needed = { euclidean: scoresNeeded(6, 'euclidean'), mahalanobis: scoresNeeded(6, 'mahalanobis') };
    expect(needed).toEqual({ euclidean: 8, mahalanobis: 28 });
    for (const score of ['euclidean', 'mahalanobis'] as const) {
      expect(recover(template, score, needed[score], 'test')).toBeLessThan(1e-6);
      expect(recover(template, score, needed[score] - 1, 'test')).toBeGreaterThan(1e-2);
    }
  });
});

describe('forged streams', () => {
  /** People whose windows vary about means that are nearer to each other than that. */
  const draws = new RealDraws(predictableRandomness('people alike'));
  const alike = sceneOf({
    dataset: 'made up',
    features: ['a', 'b', 'c', 'd', 'e', 'f'],
    people: Array.from({ length: 12 }, (_, p) => {
      const mean = Array.from({ length: 6 }, () => draws.normal() / 2);
      return { name: `${p}`, rows: Array.from({ length: 60 }, () => mean.map((x) => x + draws.normal())) };
    }),
  });
  const setting = { kind, score: 'euclidean', engine: 'trust' } as const;
  const allowed = (against: 'nothing' | 'everybody', strategy: string) =>
    forge(alike, { ...setting, against }, named(STRATEGIES, strategy), [1, 5, 30]).byAttempts.map(
      ({ allowed: share }) => share.value,
    );

  it('of everybody’s mean pass for most people at once by bare distances, and for few against everybody', {
    tags: ['long'],
  }, () => {
    const [bare, set] = [allowed('nothing', 'means of others'), allowed('everybody', 'means of others')];
    expect(bare[0]).toBeGreaterThan(0.8);
    expect(set[0]).toBeLessThan(0.4);
  });

  it('pass for no fewer people with more attempts', { tags: ['long'] }, () => {
    for (const { name } of STRATEGIES) {
      const shares = allowed('everybody', name);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    }
  });
});

describe('numbers of rows', () => {
  const owners = (counts: readonly number[]): People => ({
    dataset: 'made up',
    features: ['a'],
    people: counts.map((count, i) => ({ name: `${i}`, rows: new Array<number[]>(count).fill([0]) })),
  });

  it('link owners as far as they differ', () => {
    const linked = linkCounts(owners([30, 40, 50, 50]), 'the same rows');
    // Two are found for certain, two are guessed between.
    expect(linked.rankOne.value).toBe(3 / 4);
    expect(linked.unique.value).toBe(2 / 4);
    expect(linkCounts(owners([50, 50, 50, 50]), 'the same rows').rankOne.value).toBe(1 / 4);
    expect(linkCounts(owners([30, 40, 50, 50]), 'at most the median number').unique.value).toBe(2 / 4);
    expect(linkCounts(owners([30, 40, 50, 60]), 'the first 60 % and all rows').rankOne.value).toBe(1);
  });

  it('are fewer with a minimum, and no harder to tell apart', () => {
    const linked = linkCounts(owners([30, 40, 50, 60]), 'the same rows', 50);
    expect([linked.owners, linked.away, linked.rankOne.value]).toEqual([2, 2, 1]);
    expect(() => linkCounts(owners([30]), 'the same rows', 50)).toThrow(RangeError);
  });
});

it('an old template knows its user before renewal, and nobody after it', { tags: ['long'] }, () => {
  const { before, after } = renew(scene, { kind, score: 'euclidean', translated: false });
  expect(before.high).toBeLessThan(0.4);
  expect(after.value).toBeGreaterThan(0.4);
  expect(after.high).toBeGreaterThan(0.5);
});
