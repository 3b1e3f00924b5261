import { each, provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { describe, expect, it } from 'vitest';
import { nominalSetting } from '../../../privacy/methods/actual.ts';
import type { PcaSetting, Row } from '../../../privacy/methods/index.ts';
import { piecewise } from '../../../privacy/methods/piecewise.ts';
import { runTwoStage, twoStagePublic } from '../../../privacy/methods/two-stage-patent.ts';
import { copies, dealt, exampleRows, SETTING, source } from './rows.ts';

describe('two-stage as written', () => {
  it('sends a value as it is where the rows of a node agree in it', () => {
    const sites = [copies(5, [0.125, 0.25]), dealt(exampleRows(20, 2, 'others'), 1)[0]!];
    const { noisyValues } = runTwoStage(source('alike'), sites, SETTING, 'data');
    expect(noisyValues[0]).toEqual(sites[0]);
    const hidden = runTwoStage(source('alike'), sites, SETTING, 'public').noisyValues[0]!;
    for (const row of hidden) expect(Math.abs(row[0]! - 0.125)).toBeGreaterThan(1e-6);
  });

  it('has no ε: one row makes outputs possible, and likely, that without it are not', () => {
    const RUNS = 400;
    const others = copies(5, [0, 0]);
    const small: Row[] = [[0.01, 0], [-0.01, 0], ...others];
    const neighbours = [
      [small, others],
      [[[0.5, 0] as Row, ...small.slice(1)], others],
    ];
    const proven = (scales: 'data' | 'public') => {
      const noised: PcaSetting = { ...SETTING, epsilon: 2 };
      const [right, left] = neighbours.map((sites, i) => {
        const random = source(`support ${scales} ${i}`);
        // Without the row values lie within 0.02 of the mean, which is noisy by as little: this is out of reach.
        const most = (piecewise(0.5).bound * 0.1) ** 2;
        return each(() => runTwoStage(random, sites, noised, scales).covariances[0]![0]![0]! > most);
      });
      return provenEpsilon({ left: left!, right: right!, dpDelta: 0, runs: RUNS });
    };
    // As much as so few runs can prove.
    expect(proven('data')).toBeGreaterThan(3.5);
    expect(proven('public')).toBeLessThanOrEqual(3);
  });
});

describe('two-stage with public scales', () => {
  const sites = dealt(exampleRows(40, 5, 'public'), 2);

  it('spends ε₁ for each of m values of a row, and as much for the row: a nominal ε of 1/3 keeps 1 with five', () => {
    expect(twoStagePublic.promise.keeps(sites, SETTING)).toEqual({ epsilon: 3, dpDelta: 0 });
    expect(nominalSetting(twoStagePublic, sites, SETTING)!.epsilon).toBeCloseTo(1 / 3, 12);
  });

  it('has noise on values as for m ε₁ and the range of the box', () => {
    const { noisyValues } = runTwoStage(source('scale'), [copies(4000, [0, 0, 0, 0])], SETTING, 'public');
    // Laplace noise of scale 2 · ½/(ε/2) = 2 has a mean magnitude of 2, and 16,000 of them an error of 0.016.
    expect(mean(noisyValues.flat(2).map(Math.abs))).toBeCloseTo(2, 1);
  });

  it('draws each of m centred values with ε₂/m, as far out as that reaches', () => {
    const nodes = Array.from({ length: 100 }, () => copies(1, [0, 0, 0, 0]));
    const { covariances } = runTwoStage(source('rows'), nodes, SETTING, 'public');
    const largest = Math.max(...covariances.flatMap((y) => y.map((row, i) => Math.sqrt(row[i]!))));
    // Mapped back by 2 · ½; ε₂/m is 1/8. With ε₂ whole nothing would lie beyond 9.
    expect(largest).toBeLessThanOrEqual(piecewise(1 / 8).bound);
    expect(largest).toBeGreaterThan(0.9 * piecewise(1 / 8).bound);
    expect(piecewise(1 / 2).bound).toBeLessThan(9);
  });
});
