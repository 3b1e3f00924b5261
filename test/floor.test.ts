/**
 * Tasks with a floor through running services: what comes out is near the clear reference and never it, and
 * owners take it without consent to more.
 *
 * @claims S-710
 */

import { DataOwner, OwnerPolicy, PaillierPool } from '@eigenveil/data-owner';
import type { ProjectionKind } from '@eigenveil/methods';
import { systemRandomness } from '@eigenveil/privacy';
import { decompose } from '@eigenveil/projection';
import { contribute as encrypt } from '@eigenveil/protocol/owner';
import { flatten, RowAccumulator, unflatten } from '@eigenveil/statistics';
import { floorOf, programOf, type TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partiesOf } from './support/recorded-world.ts';
import { type Parties, runTask } from './support/run-task.ts';
import { dataFile, exampleOf, madeUpProposal, reference, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const pool = new PaillierPool({ threads: 0 });
const PROTOCOLS: TaskProposal['twoParty'][] = ['simulated', 'garbled', 'rotated'];

let world: World;
let parties: Parties;
beforeAll(async () => {
  world = await World.start();
  parties = await partiesOf(world, OWNERS, { twoParty: PROTOCOLS, allowFullRank: false });
});
afterAll(() => Promise.all([world.close(), pool.close()]));

async function resultsOf(times: number, kind: ProjectionKind, changes: Record<string, unknown>) {
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

describe.each([
  ['garbled', 2],
  ['rotated', 3],
] as const)('by %s', (twoParty, d) => {
  test('what owners have added to their own sums, of coarser values than the task says, is in the result', async () => {
    const outputs = twoParty === 'rotated' ? ['sampleCount', 'spectrum'] : [];
    const declared = { ...{ exact: false, allowFullRank: false, components: 1 }, twoParty, outputs };
    const proposal = madeUpProposal('pca', d, [], declared);
    const client = await world.taskClient();
    const { task } = await client.create(proposal);
    const sums: (readonly bigint[])[] = [];
    let exact: readonly bigint[] = [];
    for (let n = 0; n < task.minimumOwners; n += 1) {
      const { home } = await world.enrolledOwner();
      const owner = new DataOwner({
        state: home,
        policy: OwnerPolicy.parse({ twoParty: [twoParty], minimumKeyBits: 1024, allowSpectrum: true }),
        paillier: {
          contribution: (agreed, values) => {
            sums.push(values);
            return encrypt(agreed, values, { paillier: pool, randomness: systemRandomness });
          },
        },
      });
      await owner.contribute(world.dataUserAddress, task.id, async () => {
        const accumulator = new RowAccumulator(task);
        // Halves of [−1, 1], where the task says cells.
        for (let row = 0; row < 80; row += 1)
          accumulator.add(Array.from({ length: d }, (_, i) => ((7 * row + n + i * (row % 3)) % 5) / 2 - 1));
        const statistics = accumulator.statistics();
        exact = flatten(task, statistics);
        return { ...statistics, grains: accumulator.grains() };
      });
      expect(sums[n]!.filter((value, i) => value !== exact[i])).toHaveLength(exact.length - 2);
    }
    await client.closeTask(task.id);
    expect(await client.untilFinal(task.id)).toMatchObject({ state: 'done' });
    const { eigenvalues } = await client.result(task.id);
    const pooled = exact.map((_, i) => sums.reduce((sum, values) => sum + values[i]!, 0n));
    const { eigenvalues: wanted } = decompose(programOf(task), unflatten(task, pooled));
    // The servers' floor is that of cells: 10^8 times less than owners have added.
    expect(Math.abs(eigenvalues[0]! - wanted[0]!)).toBeLessThan(1e-4);
  });
});
