/**
 * Two-stage PCA of a patent on distributed local differential privacy: noisy values for the means, then centred values through a bounded mechanism
 * whose scales every node takes from its own rows.
 *
 * The steps for nodes t and attributes i; what the outline leaves open and was assumed is marked *:
 * 1. Node t takes a sensitivity Δf_i^t from its rows (*: largest less smallest value), adds Laplace noise of scale Δf_i^t/ε₁ to every
 *    value, and sends it.
 * 2. The centre computes each attribute's mean of all noisy values, and returns it. Nodes subtract it from their true values.
 * 3. Node t divides centred values by the largest magnitude of their attribute (*: its own), so that they lie in [−1, 1].
 * 4. Each of the m mapped values goes through the piecewise mechanism (*: with ε₂/m), and what is drawn is mapped back.
 * 5. Node t sends the covariance of what was drawn (*: Σ y yᵀ/n_t). The centre adds up and decomposes. (*: ε₁ = ε₂ = ε/2.)
 *
 * What that keeps of a row:
 * - As written nothing: ranges and maxima are the data's. A node whose rows agree in an attribute has a range of 0 and sends the very value. One row
 *   farther out makes outputs possible that without it are not, and widens the noise on all others.
 * - With public scales (the box that rows lie in, for Δf_i and for the maxima; means moved into the box, which is post-processing) every value of a
 *   row spends ε₁ in step 1, so that the row spends m ε₁ there and ε₂ in step 4: m ε₁ + ε₂ = (m + 1) ε/2 for the nominal ε. At equal kept ε this
 *   is two-stage.ts except for the weights of nodes, as its noise for a sensitivity of 2√m in L1 is that of m values with a share each.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { calibrateLaplace } from '../mechanisms/additive.ts';
import { RealDraws } from '../random/real.ts';
import { nominalSetting } from './actual.ts';
import { add, bounded, featuresOf, rowsOf, scaled, secondMoment, topEigenvectors } from './matrix.ts';
import {
  keepsNothing,
  NOBODY,
  type PcaMethod,
  type PcaSetting,
  PURE,
  type Row,
  type Site,
} from './method.ts';
import { piecewise } from './piecewise.ts';
import { largestEntry } from './two-stage.ts';

/** The source of ranges and maxima. */
type Scales = 'data' | 'public';

/** The centre sees this, node by node. */
interface TwoStage {
  readonly noisyValues: readonly Row[][];
  readonly covariances: readonly number[][][];
}

export function runTwoStage(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  scales: Scales,
): TwoStage {
  const { epsilon, clippingNorm } = setting;
  const dimension = featuresOf(sites);
  const attributes = Array.from({ length: dimension }, (_, i) => i);
  const nodes = bounded(sites, setting);
  const draws = new RealDraws(source);
  const box = largestEntry(dimension, clippingNorm);
  const mechanism = epsilon === Infinity ? undefined : piecewise(epsilon / 2 / dimension);

  const noisyValues = nodes.map((rows) => {
    const noise = attributes.map((i) => {
      const values = rows.map((row) => row[i]!);
      const sensitivity = scales === 'public' ? 2 * box : Math.max(...values) - Math.min(...values);
      return sensitivity === 0 ? 0 : calibrateLaplace({ sensitivity, epsilon: epsilon / 2 });
    });
    return rows.map((row) => row.map((x, i) => x + (noise[i] === 0 ? 0 : noise[i]! * draws.laplace())));
  });
  const mean = attributes.map((i) => {
    const value = noisyValues.flat().reduce((sum, row) => sum + row[i]!, 0) / rowsOf(sites);
    return scales === 'public' ? Math.min(box, Math.max(-box, value)) : value;
  });
  const covariances = nodes.map((rows) => {
    const centred = rows.map((row) => row.map((x, i) => x - mean[i]!));
    const maxima = attributes.map((i) =>
      scales === 'public' ? 2 * box : Math.max(...centred.map((row) => Math.abs(row[i]!))),
    );
    // Mapped by the maxima, drawn, mapped back.
    const perturbed = (x: number, i: number) =>
      maxima[i] === 0 ? 0 : maxima[i]! * mechanism!.draw(draws, x / maxima[i]!);
    const drawn = mechanism === undefined ? centred : centred.map((row) => row.map(perturbed));
    return scaled(secondMoment(drawn, dimension), 1 / rows.length);
  });
  return { noisyValues, covariances };
}

const inTwoStages = (
  scales: Scales,
  of: Pick<PcaMethod, 'name' | 'title' | 'panel'> & Pick<PcaMethod['promise'], 'remarks'>,
  promised: Pick<PcaMethod['promise'], 'neighbours' | 'epsilon' | 'keeps'>,
): PcaMethod => {
  const { remarks, ...named } = of;
  return {
    ...named,
    reference: 'a patent on PCA under distributed local differential privacy, in outline',
    dependsOnSites: true,
    promise: { ...promised, trust: NOBODY, means: 'protected', counts: 'public', remarks },
    run: (source, sites, setting) =>
      topEigenvectors(
        runTwoStage(source, sites, setting, scales).covariances.reduce(add),
        setting.components,
      ),
  };
};

export const twoStageWritten = inTwoStages(
  'data',
  {
    name: 'two-stage-written',
    title: 'two-stage, as written',
    panel: 'unkept',
    remarks: 'Each node’s own ranges and largest magnitudes are the scales, so that they show rows.',
  },
  {
    neighbours: 'none',
    epsilon: 'none',
    keeps: keepsNothing(
      'its scales are those of the rows, so that one row decides which outputs are possible',
    ),
  },
);

export const twoStagePublic = inTwoStages(
  'public',
  {
    name: 'two-stage-public',
    title: 'two-stage, public scales',
    panel: 'unkept',
    remarks: 'Each of a row’s m values spends ε₁ = ε/2 for the means, and the row ε/2 once more.',
  },
  {
    neighbours: 'replace',
    epsilon: 'pure',
    keeps: (sites, { epsilon }) => ({ epsilon: ((featuresOf(sites) + 1) * epsilon) / 2, dpDelta: 0 }),
  },
);

export const twoStagePublicActual: PcaMethod = {
  ...twoStagePublic,
  name: 'two-stage-public-actual',
  title: 'two-stage, public scales, at kept ε',
  panel: 'local',
  promise: {
    ...twoStagePublic.promise,
    remarks: 'As above, with budgets by which a row spends ε in all.',
    keeps: PURE.keeps,
  },
  run: (source, sites, setting) =>
    twoStagePublic.run(source, sites, nominalSetting(twoStagePublic, sites, setting)!),
};
