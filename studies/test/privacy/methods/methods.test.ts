import { calibrateAnalyticGaussian } from '@eigenveil/privacy';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { loadLaboratoryData } from '../../../privacy/data.ts';
import { PCA_METHODS, type PcaMethod, type PcaSetting, type Site } from '../../../privacy/methods/index.ts';
import { dot, norm, orthonormal } from '../../../privacy/methods/matrix.ts';
import { leadingLeftSingularVectors, powerIteration } from '../../../privacy/methods/noisy-power.ts';
import { dealToSites, settingOf } from '../../../privacy/setting.ts';
import { copies, dealt, exactRows, exampleRows, named, SETTING, source } from './rows.ts';

const NOISY: PcaSetting = { ...SETTING, components: 3, epsilon: 5 };
const NO_NOISE: PcaSetting = { ...NOISY, epsilon: Infinity };
const run = (method: PcaMethod, sites: readonly Site[], setting: PcaSetting, seed?: string) =>
  method.run(source(seed), sites, setting)!;

/** How much the first components of so many runs have in common with a direction, on average; nothing where a method gives up. */
const meanHit = (
  count: number,
  truth: readonly number[],
  found: (i: number) => readonly (readonly number[])[] | undefined,
) =>
  mean(
    Array.from({ length: count }, (_, i) => {
      const [first] = found(i) ?? [];
      return first === undefined ? 0 : dot(first, truth) ** 2;
    }),
  );

function expectSame(found: readonly (readonly number[])[], expected: readonly (readonly number[])[]): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((vector, i) => {
    expect(Math.abs(dot(vector, expected[i]!))).toBeCloseTo(1, 12);
  });
}

describe('without noise', () => {
  const rows = exactRows(240, 6, 'no noise');
  const truth = run(named('non-private'), [rows], NO_NOISE);
  // Adds Σ A_i/N_i or Σ A_i/(N_i − 1), which is the pooled covariance where all sites are of one size.
  const sites = dealt(rows, 5);
  // A threshold ends rounds before they are exact.
  const inexact = ['random-directions', 'balcan'];
  const methods = PCA_METHODS.map(({ name }) => name).filter((name) => !inexact.includes(name));
  const normalising = methods.filter((name) => name.startsWith('elfedpca'));

  it.each(methods.filter((name) => !normalising.includes(name)))(
    '%s finds the components of the pooled rows',
    (name) => {
      // Half of C is for the rows around a private mean.
      const clippingNorm = name.startsWith('eigenveil-around') ? 2 : 1;
      expectSame(run(named(name), sites, { ...NO_NOISE, clippingNorm }), truth);
    },
  );

  it.each([
    ...normalising,
    'analyze-gauss',
    'wishart',
    'ppdp',
    'lgm',
    'dpdispca',
    'central',
    'two-stage-local',
  ])('%s with C = 0 finds those of rows divided by their lengths', (name) => {
    const normalised = sites.map((site) => site.map((row) => row.map((x) => x / norm(row))));
    const expected = run(named('non-private'), normalised, NO_NOISE);
    expectSame(run(named(name), sites, { ...NO_NOISE, clippingNorm: 0 }), expected);
  });

  it.each([
    'central',
    'central-zcdp',
    'central-twice',
    'analyze-gauss',
    'ppdp',
    'hpdp',
    'wishart',
    'wishart-published',
    'lgm',
    'eigenveil',
    'eigenveil-one',
  ])('%s gives the same bits, since every sum here is exact', (name) => {
    expect(run(named(name), sites, NO_NOISE)).toEqual(truth);
  });

  it('the power method finds them with rounds enough, and not with those that its noise allows', () => {
    const found = (columns: number, most: number) =>
      orthonormal(powerIteration(source(), sites, NO_NOISE, { columns, most, threshold: -1 }).product);
    expectSame(found(3, 400), truth);
    const few = found(3, 3);
    expect(few.some((vector, i) => Math.abs(dot(vector, truth[i]!)) < 1 - 1e-6)).toBe(true);
  });

  it('more columns bring the power method nearer, through singular vectors and not through QR', () => {
    const options = (columns: number) => ({ columns, most: 3, threshold: -1 });
    const product = (columns: number) =>
      powerIteration(source('wide'), sites, { ...NO_NOISE, components: 1 }, options(columns)).product;
    const near = (vector: readonly number[]) => Math.abs(dot(vector, truth[0]!));
    const wide = product(4);
    const bare = product(1);
    expectSame(orthonormal(wide).slice(0, 1), orthonormal(bare));
    expect(1 - near(leadingLeftSingularVectors(wide, 1)[0]!)).toBeLessThan(
      (1 - near(orthonormal(bare)[0]!)) / 2,
    );
  });

  it.each(['noisy-power', 'balcan'])('%s finds no others when fewer are asked for', (name) => {
    const found = (components: number) => run(named(name), sites, { ...NOISY, components });
    expect(found(1)).toEqual(found(3).slice(0, 1));
  });

  it('rounds end once estimates settle, and at the most where noise does not let them', () => {
    const rounds = (setting: PcaSetting) =>
      powerIteration(source('rounds'), sites, setting, { columns: 4, most: 40, threshold: 0.01 }).rounds;
    expect(rounds(NO_NOISE)).toBeGreaterThan(2);
    expect(rounds(NO_NOISE)).toBeLessThan(40);
    expect(rounds({ ...NO_NOISE, epsilon: 0.1 })).toBe(40);
  });
});

describe('noisy power with a threshold', () => {
  const bundled = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'wisdm_walk_user'];
  const balcan = named('balcan');

  it.each(bundled)('takes 3 to 14 rounds without noise: %s', async (name) => {
    const { rows } = (await loadLaboratoryData(name))!;
    const sites = dealToSites(rows, 10, generator(seedOf('rounds')));
    const seen: number[] = [];
    for (let seed = 0; seed < 4; seed += 1) {
      const setting = settingOf(balcan, 2, Infinity);
      balcan.run(source(`rounds ${seed}`), sites, setting, (rounds) => seen.push(rounds));
    }
    expect(seen).toHaveLength(4);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(3);
    expect(Math.max(...seen)).toBeLessThanOrEqual(14);
  });

  it('comes near the components of the pooled rows', () => {
    const rows = exactRows(240, 6, 'no noise');
    const truth = run(named('non-private'), [rows], NO_NOISE);
    run(balcan, dealt(rows, 5), NO_NOISE).forEach((vector, i) => {
      expect(Math.abs(dot(vector, truth[i]!))).toBeGreaterThan(0.99);
    });
  });

  it('has four columns, and so no more components', () => {
    const sites = dealt(exampleRows(300, 6, 'columns'), 5);
    const found = run(balcan, sites, { ...NOISY, components: 6 });
    expect(found).toHaveLength(4);
    expect(run(balcan, dealt(exampleRows(300, 3, 'columns'), 5), NOISY)).toHaveLength(3);
  });
});

describe('with noise', () => {
  const sites = dealt(exampleRows(300, 6, 'noise'), 5);

  describe.each(PCA_METHODS.map(({ name }) => name))('%s', (name) => {
    const method = named(name);

    it('gives the same for the same seed, and orthonormal components', () => {
      const found = run(method, sites, NOISY, 'a');
      expect(run(method, sites, NOISY, 'a')).toEqual(found);
      expect(found).toHaveLength(3);
      found.forEach((u, i) => {
        found.forEach((v, j) => {
          expect(dot(u, v)).toBeCloseTo(i === j ? 1 : 0, 10);
        });
      });
    });

    it.runIf(name !== 'non-private')('gives something else for another seed', () => {
      expect(run(method, sites, NOISY, 'b')).not.toEqual(run(method, sites, NOISY, 'a'));
    });

    // The scales of the two-stage method as written show the direction by themselves.
    for (const { title, tags, of } of SAMPLES)
      it.runIf(method.panel !== 'baseline' && name !== 'two-stage-written')(
        `is drowned by a small ε, ${title}`,
        { tags },
        () => {
          const truth = run(named('non-private'), sites, NOISY)[0]!;
          const hit = (epsilon: number) =>
            meanHit(of(40, 8), truth, (i) =>
              method.run(source(`${i}`), sites, { ...NOISY, components: 1, epsilon }),
            );
          // Random directions in six dimensions have a mean of 1/6 with an error of 0.24/√n. Seeds are fixed.
          expect(hit(0.001)).toBeLessThan(0.4);
          // The stage has no noise of a deviation below 1, and so no larger ε.
          expect(hit(name.startsWith('eigenveil') ? 12 : 100)).toBeGreaterThan(0.8);
        },
      );
  });

  it('rows far from the middle of their ranges are centred by what the first of two tasks releases, in its own noise', () => {
    const far = dealt(
      exampleRows(400, 4, 'far').map((row) => row.map((x, i) => 0.2 * x + (i === 0 ? 0.45 : 0))),
      4,
    );
    const truth = run(named('non-private'), far, NO_NOISE)[0]!;
    const setting = { ...SETTING, components: 1, epsilon: 2, clippingNorm: 0.6 };
    const hit = (name: string) => meanHit(30, truth, (i) => named(name).run(source(`${i}`), far, setting));
    expect(hit('eigenveil-around')).toBeGreaterThan(hit('eigenveil') + 0.1);
  });

  it('gives up where the noisy number of rows is not positive, and only there', () => {
    const few = [exampleRows(4, 3, 'few')];
    const setting = { ...SETTING, epsilon: 0.1 };
    for (const name of ['central', 'eigenveil', 'eigenveil-one']) {
      const refused = Array.from({ length: 60 }, (_, i) => named(name).run(source(`${i}`), few, setting));
      const count = refused.filter((found) => found === undefined).length;
      expect(Math.abs(count - 30)).toBeLessThan(15);
    }
  });
});

it('the noise of the power method is for the most rounds, and added at every site', () => {
  const D = 60;
  const nothing = dealt(copies(6, new Array<number>(D).fill(0)), 3);
  const options = { columns: 20, most: 5, threshold: Infinity };
  const { product, rounds } = powerIteration(source('only noise'), nothing, NOISY, options);
  expect(rounds).toBe(3);
  const one = calibrateAnalyticGaussian({ sensitivity: 1, epsilon: 5, dpDelta: 1e-5 });
  const square = mean(product.flat().map((x) => x * x));
  // 1,200 squares of variance 2: an error of 0.04. One round less would be 0.8.
  expect(Math.abs(square / (one ** 2 * 5 * 3) - 1)).toBeLessThan(0.12);
});

it('LGM per node at one node is Analyze Gauss', () => {
  const rows = exampleRows(50, 4, 'one node');
  expectSame(run(named('lgm-node'), [rows], NOISY), run(named('analyze-gauss'), [rows], NOISY));
});

it('random directions look at no row, and prefer none', () => {
  const method = named('random-directions');
  const sites = [exampleRows(20, 4, 'random')];
  expect(run(method, sites, NOISY)).toEqual(run(method, [exampleRows(20, 4, 'others')], NOISY));
  // Mean 1/4, of a deviation of 0.2 each.
  const square = meanHit(1000, [0, 0, 0, 1], (i) => run(method, sites, NOISY, `${i}`));
  expect(Math.abs(square - 0.25)).toBeLessThan(0.025);
});

describe('what methods say of themselves', () => {
  it.each(PCA_METHODS.filter(({ dependsOnSites }) => !dependsOnSites).map(({ name }) => name))(
    '%s depends on sites no more than it says',
    { tags: ['long'] },
    (name) => {
      // Mean energies over seeds agree for one site and for ten, within their error.
      const rows = exampleRows(120, 4, 'spread');
      const truth = run(named('non-private'), [rows], NOISY)[0]!;
      const hit = (sites: number) =>
        meanHit(150, truth, (i) =>
          named(name).run(source(`${sites} ${i}`), dealt(rows, sites), { ...NOISY, components: 1 }),
        );
      // Each mean has an error of at most 0.5/√150. Seeds are fixed.
      expect(Math.abs(hit(1) - hit(10))).toBeLessThan(0.23);
    },
  );
});
