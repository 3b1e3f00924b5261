/** ELFedPCA's own experiment: the noise that each method is published with, what of its ε it keeps, and figures of a second computation. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { describe, expect, it } from 'vitest';
import { chosenOf, samplesOf } from '../../instrument/figure.ts';
import { measured } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { elfedpcaExperiment } from '../../privacy/elfedpca.ts';
import { ELFEDPCA_EXPERIMENT } from '../../privacy/methods/index.ts';
import { settingOf } from '../../privacy/setting.ts';

const experimented = (name: string) => ELFEDPCA_EXPERIMENT.find((method) => method.name === name)!;
const SIZES = [10, 20, 30];
const ROWS = 60;
const sites = SIZES.map((count) => new Array<number[]>(count).fill([1, 0]));

describe('the published deviation', () => {
  it.each([0.5, 1, 10])('is that of one formula at every ε: %f', (epsilon) => {
    const tau = (rows: number) => Math.sqrt(2 * Math.log(1.25 / 1e-5)) / (rows * epsilon);
    const deviation = (name: string) => {
      const method = experimented(name);
      return method.noiseDeviation!(sites, settingOf(method, 2, epsilon));
    };
    expect(deviation('central-published')).toBeCloseTo(tau(ROWS), 12);
    // The mean of the sites' matrices has the mean of their noise.
    const ofNodes = Math.hypot(...SIZES.map(tau)) / SIZES.length;
    expect(deviation('dpdispca-published')).toBeCloseTo(ofNodes, 12);
    // Σ A_i carries Σ N_i/(N_i − 1) times the mean of x xᵀ.
    const signal = SIZES.reduce((sum, rows) => sum + rows / (rows - 1), 0);
    expect(deviation('elfedpca')).toBeCloseTo(tau(ROWS) / signal, 12);
  });

  it('keeps less than ε = 1 where it has a proof, more than ε = 10 where it has none, and ELFedPCA many times it', () => {
    const kept = (name: string, epsilon: number) => {
      const method = experimented(name);
      const found = method.promise.keeps(sites, settingOf(method, 2, epsilon));
      return 'none' in found ? undefined : found.epsilon;
    };
    for (const name of ['central-published', 'dpdispca-published']) {
      expect(kept(name, 1)).toBeCloseTo(0.751, 3);
      expect(kept(name, 10)).toBeGreaterThan(10);
    }
    expect(kept('elfedpca', 1)).toBeGreaterThan(5);
    expect(kept('non-private', 1)).toBeUndefined();
  });
});

describe('the panel', () => {
  const records = async (dataset: string): Promise<readonly Tidy[]> => {
    const asked = { scale: 'quick', settings: new Settings('quick') } as const;
    const { cases } = await elfedpcaExperiment.plan(asked);
    const [parameters] = chosenOf(cases, { dataset, epsilon: 1 });
    return measured({ study: elfedpcaExperiment, parameters: parameters! }, { note: () => undefined });
  };

  // Energies of a second computation, which dealt rows in its own way, and how far ten seeds may be from them.
  it.each([
    ['iris', { elfedpca: [99.9, 0.3], 'dpdispca-published': [90, 8], 'central-published': [99, 1] }],
    [
      'ionosphere',
      { elfedpca: [98.3, 0.5], 'dpdispca-published': [27.4, 6], 'central-published': [84.1, 4] },
    ],
  ] as const)('has the energies of a second computation: %s', async (dataset, expected) => {
    const found = await records(dataset);
    for (const [method, [energy, within]] of Object.entries(expected)) {
      const own = chosenOf(found, { method });
      expect(Math.abs(mean(samplesOf(own, 'energy')) - energy)).toBeLessThan(within);
      expect(samplesOf(own, 'accuracy')).toHaveLength(10);
      const [keeps] = samplesOf(own, 'keeps');
      const [trained] = samplesOf(own, 'keepsTrained');
      if (method === 'elfedpca') expect(Math.min(keeps!, trained!)).toBeGreaterThan(50);
      else expect([keeps, trained]).toEqual([expect.closeTo(0.751, 3), expect.closeTo(0.751, 3)]);
    }
    expect(samplesOf(chosenOf(found, { method: 'non-private' }), 'energy')).toEqual(new Array(10).fill(100));
  });
});
