import { describe, expect, it } from 'vitest';
import type { Measurement } from '../../instrument/unit.ts';
import { PCA_METHODS } from '../../privacy/methods/index.ts';
import { aimsOf, foundMore, leastOf, type Statement, statements } from '../../privacy/statements.ts';
import {
  DEALINGS,
  type Dealing,
  EPSILONS,
  EQUAL,
  energySeries,
  POOLED,
  SITES,
} from '../../privacy/utility.ts';

type Samples = Readonly<Record<string, readonly number[]>>;

function unit(dataset: string, sites: Dealing, epsilon: number, samples: Samples): Measurement {
  return {
    id: `utility/${dataset}/${sites}/${epsilon}`,
    parameters: { dataset },
    startedAt: '2026-01-01T00:00:00Z',
    seconds: 1,
    facts: {},
    series: Object.fromEntries(
      Object.entries(samples).map(([name, values]) => [
        energySeries(name, 2),
        { unit: 'points' as const, samples: values },
      ]),
    ),
  };
}

/** Ten samples about a mean. */
const about = (mean: number, spread = 0.1) =>
  Array.from({ length: 10 }, (_, i) => mean + (i % 2 === 0 ? spread : -spread));
const against = (all: readonly Statement[], name: string) =>
  all.find(({ subject, opponent }) => subject.name === 'eigenveil' && opponent.name === name)!;

describe('statements', () => {
  it('count a data set and an ε once, however many numbers of sites there are', () => {
    const measured = (elfedpca: readonly number[]) => [
      unit('iris', POOLED, 1, { eigenveil: about(90) }),
      ...SITES.map((sites, i) => unit('iris', sites, 1, { 'elfedpca-corrected': about(elfedpca[i]!) })),
    ];
    const of = (elfedpca: readonly number[]) =>
      against(statements(measured(elfedpca), ['iris'], 2), 'elfedpca-corrected');
    const { cases } = of([50, 60, 70]);
    expect(cases).toHaveLength(1);
    expect(cases[0]!.settings.map(({ mean }) => mean)).toEqual([40, 30, 20].map((x) => expect.closeTo(x, 9)));
    expect(cases[0]!.verdict).toBe('ahead');
    // A mean over sites would hide this one.
    expect(of([50, 60, 95]).cases[0]!.verdict).toBe('behind');
  });

  it('pair seeds where rows were dealt alike', () => {
    // Far apart from seed to seed, and always by 3 from each other.
    const shared = [10, 90, 20, 80, 30, 70];
    const measured = [
      unit('iris', POOLED, 1, { eigenveil: shared.map((x, i) => x + 3 + (i % 2) / 10), hpdp: shared }),
    ];
    expect(against(statements(measured, ['iris'], 2), 'hpdp').cases[0]!.verdict).toBe('ahead');
  });

  it('take data sets as the samples of means, not seeds', () => {
    const sets = ['iris', 'pima', 'german'];
    const measured = (differences: readonly number[]) =>
      sets.flatMap((dataset, i) =>
        EPSILONS.map((epsilon) =>
          unit(dataset, POOLED, epsilon, { eigenveil: about(50 + differences[i]!), lgm: about(50) }),
        ),
      );
    const of = (differences: readonly number[]) => against(statements(measured(differences), sets, 2), 'lgm');
    // Every data set is far ahead, beyond doubt; of data sets there are three, which differ a lot.
    const wide = of([1, 10, 40]);
    expect(wide.cases.every(({ verdict }) => verdict === 'ahead')).toBe(true);
    const [mean] = wide.overall!.settings;
    expect(wide.overall!.verdict).toBe('open');
    expect(mean).toMatchObject({ sets: 3, setsAhead: 3, mean: expect.closeTo(17, 9), freedom: 2 });
    expect(wide.means.map(({ verdict }) => verdict)).toEqual(EPSILONS.map(() => 'open'));
    const narrow = of([40, 41, 42]);
    expect(narrow.overall).toMatchObject({ settings: [{ setsAhead: 3 }], verdict: 'ahead' });
    expect(of([-40, 0, -41]).overall).toMatchObject({ settings: [{ setsAhead: 0 }] });
  });

  it('stand at the dealing where the other method is at its best, in cases and in the mean, and name it', () => {
    const sets = ['iris', 'pima', 'german'];
    const measured = (atEqual: number) =>
      sets.flatMap((dataset, i) =>
        EPSILONS.flatMap((epsilon) => [
          unit(dataset, POOLED, epsilon, { eigenveil: about(90 + i / 10) }),
          ...SITES.map((sites) => unit(dataset, sites, epsilon, { 'elfedpca-repaired': about(50) })),
          unit(dataset, EQUAL, epsilon, { 'elfedpca-repaired': about(atEqual) }),
        ]),
      );
    const of = (atEqual: number) => against(statements(measured(atEqual), sets, 2), 'elfedpca-repaired');
    const { cases, overall, means } = of(98);
    // Three of four dealings say 40 points ahead.
    expect(cases.every(({ verdict }) => verdict === 'behind')).toBe(true);
    expect([overall, ...means].map((it) => it!.verdict)).toEqual([overall, ...means].map(() => 'behind'));
    for (const { settings } of [overall!, ...means])
      expect(leastOf(settings)).toMatchObject({ dealing: EQUAL, mean: expect.closeTo(-7.9, 9) });
    expect(of(49).overall).toMatchObject({ verdict: 'ahead' });
  });

  it('rank nobody who does not keep the ε that it is told', () => {
    const everyone = Object.fromEntries(PCA_METHODS.map(({ name }) => [name, about(50)]));
    const measured = [unit('iris', POOLED, 1, everyone), ...SITES.map((s) => unit('iris', s, 1, everyone))];
    const all = statements(measured, ['iris'], 2);
    const compared = new Set(all.flatMap(({ subject, opponent }) => [subject.name, opponent.name]));
    const kept = PCA_METHODS.filter(({ name, panel }) => panel !== 'unkept' && !compared.has(name));
    // The others that are left out: no noise at all, more noise than ε asks for, twice.
    expect(kept.map(({ name }) => name)).toEqual(['non-private', 'central-zcdp', 'dpdispca']);
    expect([...compared]).toEqual(
      expect.arrayContaining([
        'elfedpca-repaired',
        'elfedpca-corrected',
        'dpdispca-recalibrated',
        'noisy-power',
      ]),
    );
    expect(PCA_METHODS.filter(({ panel }) => panel === 'unkept').some(({ name }) => compared.has(name))).toBe(
      false,
    );
  });

  it('aim from ε = 0.5 on at methods without a curator, all cases corrected together', () => {
    const samples = { eigenveil: about(90), central: about(99) };
    const measured = [
      ...EPSILONS.map((epsilon) => unit('iris', POOLED, epsilon, samples)),
      ...EPSILONS.map((epsilon) =>
        unit('iris', 10, epsilon, { 'elfedpca-corrected': about(80), 'noisy-power': about(90) }),
      ),
    ];
    const [{ subject, cases: aim } = { cases: [] }, ...others] = aimsOf(statements(measured, ['iris'], 2));
    expect([subject?.name, others]).toEqual(['eigenveil', []]);
    expect(aim.map(({ opponent, epsilon, verdict }) => [opponent.name, epsilon, verdict])).toEqual([
      ...[0.5, 1, 3, 10].map((epsilon) => ['elfedpca-corrected', epsilon, 'ahead']),
      ...[0.5, 1, 3, 10].map((epsilon) => ['noisy-power', epsilon, 'not behind']),
    ]);
  });

  it('tell on how many data sets a method finds more than chance', () => {
    const measured = ['iris', 'pima'].map((dataset, i) =>
      unit(dataset, POOLED, 1, { eigenveil: about(i === 0 ? 90 : 50), 'random-directions': about(50) }),
    );
    const found = foundMore(measured, ['iris', 'pima'], 2);
    expect(found.map(({ method, sets }) => [method.name, sets])).toEqual([
      ['eigenveil', EPSILONS.map((epsilon) => (epsilon === 1 ? 1 : 0))],
    ]);
    const chance = unit('iris', POOLED, 1, { 'random-directions': about(50) });
    const spread = DEALINGS.map((dealing) =>
      unit('iris', dealing, 1, { balcan: about(dealing === 50 ? 40 : 60) }),
    );
    const byDealing = foundMore([chance, ...spread], ['iris'], 2);
    expect(byDealing.map(({ dealings, sets }) => [dealings, sets[2]])).toEqual([
      [SITES, 0],
      [[EQUAL], 1],
    ]);
  });
});
