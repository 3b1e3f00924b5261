/** Decisions by samples, as frames of made-up records. */
import { describe, expect, it } from 'vitest';
import type { Tidy } from '../../instrument/tidy.ts';
import { aim, byDealing, cases, foundMore, means, overall } from '../../privacy/compared.ts';
import { PCA_METHODS } from '../../privacy/methods/index.ts';
import { DEALINGS, type Dealing, EPSILONS, EQUAL, POOLED, SITES } from '../../privacy/setting.ts';

type Samples = Readonly<Record<string, readonly number[]>>;

/** Records of methods with these energies, seed by seed. */
function measured(dataset: string, sites: Dealing, epsilon: number, samples: Samples): Tidy[] {
  return Object.entries(samples).flatMap(([method, values]) =>
    values.map((energy2, seed) => ({ dataset, sites, epsilon, seed, method, energy2 })),
  );
}

/** Ten samples about a mean. */
const about = (mean: number, spread = 0.1) =>
  Array.from({ length: 10 }, (_, i) => mean + (i % 2 === 0 ? spread : -spread));
const against = (records: readonly Tidy[], name: string) =>
  records.filter((it) => it.of === 'eigenveil' && it.against === name);

describe('comparisons', () => {
  it('count a data set and an ε once, however many numbers of sites there are', () => {
    const of = (elfedpca: readonly number[]) =>
      against(
        cases([
          ...measured('iris', POOLED, 1, { eigenveil: about(90) }),
          ...SITES.flatMap((sites, i) =>
            measured('iris', sites, 1, { 'elfedpca-corrected': about(elfedpca[i]!) }),
          ),
        ]),
        'elfedpca-corrected',
      );
    const found = of([50, 60, 70]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      ...{ dataset: 'iris', epsilon: 1, promised: 'distributed', at: 50 },
      ...{ difference: expect.closeTo(20, 9), verdict: 'ahead' },
    });
    // A mean over sites would hide this one.
    expect(of([50, 60, 95])[0]).toMatchObject({ at: 50, verdict: 'behind' });
  });

  it('pair seeds where rows were dealt alike', () => {
    // Far apart from seed to seed, and always by 3 from each other.
    const shared = [10, 90, 20, 80, 30, 70];
    const records = measured('iris', POOLED, 1, {
      eigenveil: shared.map((x, i) => x + 3 + (i % 2) / 10),
      hpdp: shared,
    });
    expect(against(cases(records), 'hpdp')[0]!.verdict).toBe('ahead');
  });

  it('take data sets as the samples of means, not seeds', () => {
    const of = (differences: readonly number[]) => {
      const records = ['iris', 'pima', 'german'].flatMap((dataset, i) =>
        EPSILONS.flatMap((epsilon) =>
          measured(dataset, POOLED, epsilon, { eigenveil: about(50 + differences[i]!), lgm: about(50) }),
        ),
      );
      const [whole] = against(overall(records), 'lgm');
      return { whole: whole!, means: against(means(records), 'lgm') };
    };
    // Every data set is far ahead, beyond doubt; of data sets there are three, which differ a lot.
    const wide = of([1, 10, 40]);
    expect(wide.whole).toMatchObject({
      ...{ ahead: 3 * EPSILONS.length, 'not behind': 0, open: 0, behind: 0 },
      ...{ sets: 3, setsAhead: 3, difference: expect.closeTo(17, 9), verdict: 'open' },
    });
    // Student's interval with 2 degrees of freedom: 4.3027 · 20.4206/√3.
    expect(Number(wide.whole.high) - 17).toBeCloseTo((4.302653 * 20.420578) / Math.sqrt(3), 4);
    expect(wide.means.map(({ verdict }) => verdict)).toEqual(EPSILONS.map(() => 'open'));
    expect(of([40, 41, 42]).whole).toMatchObject({ setsAhead: 3, verdict: 'ahead' });
    expect(of([-40, 0, -41]).whole).toMatchObject({ setsAhead: 0 });
  });

  it('stand at the dealing where the other method is at its best, in cases and in the mean, and name it', () => {
    const recordsOf = (atEqual: number) =>
      ['iris', 'pima', 'german'].flatMap((dataset, i) =>
        EPSILONS.flatMap((epsilon) => [
          ...measured(dataset, POOLED, epsilon, { eigenveil: about(90 + i / 10) }),
          ...SITES.flatMap((sites) => measured(dataset, sites, epsilon, { 'elfedpca-repaired': about(50) })),
          ...measured(dataset, EQUAL, epsilon, { 'elfedpca-repaired': about(atEqual) }),
        ]),
      );
    // Three of four dealings say 40 points ahead.
    const records = recordsOf(98);
    for (const frame of [cases, means, overall]) {
      const found = against(frame(records), 'elfedpca-repaired');
      expect(found.length).toBeGreaterThan(0);
      for (const it of found) expect(it).toMatchObject({ at: EQUAL, verdict: 'behind' });
    }
    expect(against(overall(records), 'elfedpca-repaired')[0]!.difference).toBeCloseTo(-7.9, 9);
    expect(
      against(byDealing(records), 'elfedpca-repaired').map(({ at, difference }) => [at, difference]),
    ).toEqual(DEALINGS.map((at) => [at, expect.closeTo(at === EQUAL ? -7.9 : 40.1, 9)]));
    expect(against(overall(recordsOf(49)), 'elfedpca-repaired')[0]).toMatchObject({ verdict: 'ahead' });
  });

  it('rank nobody who does not keep the ε that it is told', () => {
    const everyone = Object.fromEntries(PCA_METHODS.map(({ name }) => [name, about(50)]));
    const records = [POOLED, ...SITES].flatMap((sites) => measured('iris', sites as Dealing, 1, everyone));
    const compared = new Set(cases(records).flatMap((it) => [it.of, it.against]));
    const kept = PCA_METHODS.filter(({ name, panel }) => panel !== 'unkept' && !compared.has(name));
    // The others that are left out: no noise at all, more noise than ε asks for, twice.
    expect(kept.map(({ name }) => name)).toEqual(['non-private', 'central-zcdp', 'dpdispca']);
    const unkept = PCA_METHODS.filter(({ panel }) => panel === 'unkept');
    expect(unkept.filter(({ name }) => compared.has(name))).toEqual([]);
  });

  it('aim from ε = 0.5 on at methods without a curator, all cases corrected together', () => {
    const recordsOf = (corrected: number) =>
      EPSILONS.flatMap((epsilon) => [
        ...measured('iris', POOLED, epsilon, { eigenveil: about(90), central: about(99) }),
        ...measured('iris', 10, epsilon, {
          'elfedpca-corrected': about(corrected),
          'noisy-power': about(90),
        }),
      ]);
    expect(aim(recordsOf(80))).toEqual([
      { of: 'eigenveil', cases: 8, ahead: 4, 'not behind': 4, open: 0, behind: 0, worst: 'not behind' },
    ]);
    expect(aim(recordsOf(95))).toMatchObject([{ ahead: 0, 'not behind': 4, behind: 4, worst: 'behind' }]);
  });

  it('tell on how many data sets a method finds more than chance', () => {
    const records = ['iris', 'pima'].flatMap((dataset, i) =>
      measured(dataset, POOLED, 1, { eigenveil: about(i === 0 ? 90 : 50), 'random-directions': about(50) }),
    );
    expect(foundMore(records)).toEqual(
      EPSILONS.map((epsilon) => ({
        ...{ method: 'eigenveil', dealings: 'pooled', epsilon },
        sets: epsilon === 1 ? 1 : 0,
      })),
    );
    const chance = measured('iris', POOLED, 1, { 'random-directions': about(50) });
    const spread = DEALINGS.flatMap((dealing) =>
      measured('iris', dealing, 1, { balcan: about(dealing === 50 ? 40 : 60) }),
    );
    const byDealing = foundMore([...chance, ...spread]).filter(({ epsilon }) => epsilon === 1);
    expect(byDealing.map(({ dealings, sets }) => [dealings, sets])).toEqual([
      ['every number of growing sites', 0],
      ['equal sites', 1],
    ]);
  });
});
