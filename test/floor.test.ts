/** Tasks with a floor through running services: what comes out is near the clear reference and never it, and owners take it without consent to more. */
import { floorOf, type MethodName, type TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partiesOf } from './support/recorded-world.ts';
import { type Parties, runTask } from './support/run-task.ts';
import { dataFile, exampleOf, reference, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const PROTOCOLS: TaskProposal['twoParty'][] = ['simulated', 'garbled', 'rotated'];

let world: World;
let parties: Parties;
beforeAll(async () => {
  world = await World.start();
  parties = await partiesOf(world, OWNERS, { twoParty: PROTOCOLS, allowFullRank: false });
});
afterAll(() => world.close());

async function resultsOf(times: number, kind: MethodName, changes: Record<string, unknown>) {
  const { proposal, rows } = await exampleOf(dataFile('iris'), kind, {
    ...{ exact: false, allowFullRank: false },
    ...changes,
  });
  const parts = split(rows, OWNERS);
  const results = [];
  while (results.length < times) {
    const { task, projection } = await runTask(parties, proposal, parts);
    // Which checks it against the task.
    const given = await parties.owners[0]!.result(parties.dataUser, task.id);
    expect(given.projection).toEqual(projection);
    results.push(projection);
  }
  return { results, floor: floorOf(proposal)!, clear: reference(proposal, parts).decomposition };
}

describe.each(PROTOCOLS)('by %s', (twoParty) => {
  const tags = twoParty === 'simulated' ? [] : ['long'];

  test('a PCA is off by the noise of both servers, another each time', { tags }, async () => {
    const outputs = ['mean', 'trace', 'sampleCount', 'spectrum'];
    const { results, floor, clear } = await resultsOf(2, 'pca', { components: 1, outputs, twoParty });
    // No eigenvalue moves by more than the norm of the noise; that it is 4 times what it is expected to be has a chance below 1e-10.
    for (const { spectrum, mean, sampleCount } of results) {
      for (const [i, value] of spectrum!.entries())
        expect(Math.abs(value - clear.spectrum![i]!)).toBeLessThan(4 * floor.norm);
      expect(spectrum).not.toEqual(clear.spectrum);
      expect(sampleCount).toBe(150);
      const ofMean = (8 * floor.deviation * Math.SQRT2 * Math.max(...floor.grains)) / 150;
      for (const [i, value] of mean!.entries())
        expect(Math.abs(value - clear.mean![i]!)).toBeLessThan(ofMean);
    }
    expect(results[0]!.spectrum).not.toEqual(results[1]!.spectrum);
    expect(results[0]!.mean).not.toEqual(results[1]!.mean);
  });

  test('so is a DCA, and its classes are told apart all the same', { tags }, async () => {
    const outputs = ['classCounts', ...(twoParty === 'rotated' ? ['sampleCount', 'spectrum'] : [])];
    const { results, clear } = await resultsOf(1, 'dca', { components: 1, outputs, twoParty });
    for (const { eigenvalues, classCounts } of results) {
      expect(eigenvalues[0]).not.toBe(clear.eigenvalues[0]);
      expect(eigenvalues[0]).toBeCloseTo(clear.eigenvalues[0]!, 2);
      expect(classCounts).toEqual([[50, 50, 50]]);
    }
  });
});
