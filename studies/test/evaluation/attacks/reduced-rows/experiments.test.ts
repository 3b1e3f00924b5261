/** The experiments on reduced rows, on scenes whose leaks are known. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { describe, expect, it } from 'vitest';
import { EXPERIMENTS } from '../../../../evaluation/attacks/reduced-rows/index.ts';
import type { Draws } from '../../../../evaluation/draws.ts';
import type { Effort } from '../../../../evaluation/experiment.ts';
import { excessOf } from '../../../../evaluation/judging/excess.ts';
import type { Scene } from '../../../../evaluation/scene.ts';
import { sceneOf, trialsOf } from '../support.ts';
import { madeUpScene } from './made-up.ts';

const run = (id: string, scene: Scene, effort?: Effort) => trialsOf(EXPERIMENTS, id, { scene, effort });

const sign = (draws: Draws) => (draws.uniform() < 0.5 ? -1 : 1);

/** Utility lies along the first feature, the private label along the second; the third is noise. @param together how often both are equal @param strength of the private one */
const labelledScene = (together: number, strength = 0.7): Scene =>
  madeUpScene(
    300,
    (draws) => {
      const utility = sign(draws);
      const hidden = draws.uniform() < together ? utility : -utility;
      const noise = () => Math.max(-0.3, Math.min(0.3, draws.normal() / 4));
      return {
        values: [0.5 * utility + noise(), strength * hidden + noise(), noise()],
        labels: { utility: `${utility}`, hidden: `${hidden}` },
      };
    },
    { utilityLabel: 'utility', privateLabel: 'hidden' },
  );
const apart = labelledScene(0.5);

/** Shares of the table of methods, in percent. */
async function compared(scene: Scene, effort: Effort) {
  const { blocks } = await run('attribute-mdr', scene, effort);
  const table = blocks!.find(({ kind }) => kind === 'table');
  if (table?.kind !== 'table') throw new Error('expected a table');
  return (name: string, components: number) => {
    const cells = table.rows.find(([by, k]) => by === name && k === `${components}`)!;
    const [utility, alone, together] = cells.slice(2).map((cell) => Number.parseFloat(`${cell}`));
    return { utility: utility!, alone: alone!, together: together! };
  };
}

describe('attribute inference', () => {
  it('finds the private label in rows and in their PCA, and far less of it in what MDR leaves of them', {
    tags: ['long'],
  }, async () => {
    for (const id of ['attribute-none', 'attribute-pca'])
      expect(excessOf(await run(id, apart)).value).toBeGreaterThan(0.95);
    expect(excessOf(await run('attribute-mdr', apart)).value).toBeLessThan(0.4);
  });

  it('finds what is planted in reduced rows', async () => {
    const { attack, control } = await run('attribute-control', labelledScene(0.5, 0));
    expect(mean(attack)).toBe(1);
    expect(mean(control)).toBeLessThan(0.7);
    expect(control).toHaveLength(attack.length);
  });

  it('sets methods beside each other: MDR keeps the utility label, and hides the private one', {
    tags: ['long'],
  }, async () => {
    const of = await compared(apart, 'full');
    expect(of('MDR, ρ = 1', 1).utility).toBeGreaterThan(90);
    expect(of('MDR, ρ = 1', 1).alone).toBeLessThan(65);
    // The first component of a PCA is the private label's.
    expect(of('PCA', 1).alone).toBeGreaterThan(95);
    expect(of('PCA', 1).utility).toBeLessThan(80);
  });

  it('finds it again in MDR by the utility label, where both go together: it is what MDR has taken out of utility', {
    tags: ['long'],
  }, async () => {
    const { alone, together } = (await compared(labelledScene(0.75), 'quick'))('MDR, ρ = 1', 1);
    // The utility label alone is right of three in four.
    expect(alone).toBeLessThan(80);
    expect(together).toBeGreaterThan(85);
  });

  it('says what a scene lacks', async () => {
    const { omits } = EXPERIMENTS.find(({ id }) => id === 'attribute-mdr')!;
    expect(omits!({ ...apart, privateLabel: undefined })).toContain('private label');
    expect(omits!({ ...apart, utilityLabel: undefined })).toContain('utility label');
    expect(omits!({ ...apart, publicSample: apart.publicSample.slice(0, 5) })).toContain('public sample');
    const owners = apart.owners.map((own) =>
      own.map((row) => ({ ...row, labels: { utility: '1', hidden: '1' } })),
    );
    expect(omits!({ ...apart, owners })).toContain('two classes');
  });
});

describe('reconstruction', () => {
  it('gives rows back from as many numbers as there are features, to whoever has them, and no more than a guess without', async () => {
    const scene = await sceneOf('pima');
    const outcome = await run('reconstruction-control', scene);
    expect(outcome.attack.every((success) => success === 1)).toBe(true);
    expect(mean(outcome.control)).toBeGreaterThan(outcome.baseline);
    expect(mean(outcome.control)).toBeLessThan(0.5);
  });

  async function repeats(name: string) {
    const scene = await sceneOf('pima');
    const outcome = await run(`reconstruction-${name}`, scene);
    expect(await run(`reconstruction-${name}`, scene)).toEqual(outcome);
    const [chart] = outcome.blocks!;
    if (chart?.kind !== 'chart' || chart.drawing.kind !== 'lines') throw new Error('expected lines');
    const pca = chart.drawing.lines.find((line) => line.name === 'PCA')!;
    // The scene's own task is the chart's point at its number of components.
    expect(pca.points.find(({ x }) => x === 3)!.y).toBeCloseTo(mean(outcome.attack), 9);
    expect(pca.points.at(-1)).toEqual({ x: 7, y: 1 });
    expect(outcome.facts!.components).toBe(3);
  }

  it('by linear is repeated by its seed, and drawn over components', () => repeats('linear'));
  it.each(['pseudo-inverse', 'learned'])(
    'by %s is repeated by its seed, and drawn over components',
    { tags: ['long'] },
    repeats,
  );

  it('finds nothing in reduced rows that say nothing', async () => {
    // Two features of which the task keeps one; what is asked for is chance in the other.
    const scene = madeUpScene(250, (draws) => ({
      values: [0.9 * sign(draws), 0.2 * (2 * draws.uniform() - 1)],
      labels: {},
    }));
    const { attack, control } = await run('reconstruction-learned', scene);
    // One of two features is there, the other is right by chance for a tenth of people.
    expect(mean(attack)).toBeGreaterThan(0.5);
    expect(mean(attack)).toBeLessThan(0.65);
    expect(mean(control)).toBeLessThan(0.4);
  });
});
