/** Tasks to which the owners add the noise: what the CSP decrypts has it, and the result is that of the noisy sums. */
import { inviteOwners } from '@eigenveil/csp';
import { DataOwner, MemoryOwnerState, OwnerPolicy } from '@eigenveil/data-owner';
import { PaillierPool } from '@eigenveil/paillier';
import { noisePlan } from '@eigenveil/privacy';
import { decompose } from '@eigenveil/projection';
import { layout, unflatten } from '@eigenveil/statistics';
import { programOf, shiftOf, stageTaskOf, withoutShift } from '@eigenveil/task';
import { Thumbprint } from '@eigenveil/wire';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { plainSums } from './support/definitions.ts';
import { type RecordedWorld, startRecorded } from './support/recorded-world.ts';
import { unblindingOf } from './support/recording-pool.ts';
import { runTask } from './support/run-task.ts';
import { type LabelledRows, madeUpProposal } from './support/tasks.ts';

const OWNERS = 4;
const FEATURES = 12;

let recorded: RecordedWorld;
beforeAll(async () => {
  recorded = await startRecorded(OWNERS);
});
afterAll(() => recorded.world.close());

function partsOf(rows: number): LabelledRows[] {
  return Array.from({ length: OWNERS }, (_, owner) => ({
    values: Array.from({ length: rows }, (_, row) =>
      Array.from({ length: FEATURES }, (_, i) => Math.sin(1 + owner + row * (i + 2)) * (i < 2 ? 0.6 : 0.2)),
    ),
    classes: Array.from({ length: rows }, () => []),
  }));
}

function proposalOf(noise: 'owners' | 'servers') {
  return madeUpProposal('pca', FEATURES, [], {
    minimumOwners: OWNERS,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: 800,
    outputs: ['mean', 'sampleCount', 'trace'],
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: 1.5,
      noise,
      honestOwners: noise === 'owners' ? 2 : null,
      dataIndependentRanges: true,
    },
  });
}

test('the sums have the noise of all owners, and the result is theirs', async () => {
  const parts = partsOf(800);
  const { task, n, projection } = await runTask(recorded.parties, proposalOf('owners'), parts);
  const { slots, blinding } = unblindingOf(n, layout(task), recorded.pools);
  const noisy = slots.map((slot, i) => slot - blinding[i]!);
  const exact = plainSums(task, parts);
  const noise = noisy.map((value, i) => Number(value - exact[i]!));
  expect(noise.at(-1)).toBe(0);

  const { variances, tails } = noisePlan(stageTaskOf(task)!);
  const R = noise.slice(0, (FEATURES * (FEATURES + 1)) / 2);
  const variance = R.reduce((sum, value) => sum + value ** 2, 0) / R.length;
  // On the diagonal this, off it half of it.
  const onDiagonal = (OWNERS * Number(variances.R.numerator)) / Number(variances.R.denominator);
  const planned = (onDiagonal * (FEATURES + (FEATURES * (FEATURES - 1)) / 4)) / R.length;
  // 78 draws, as good as chi-squared of 71 degrees of freedom: each of these is passed in one of 10^10 cases.
  expect(variance / planned).toBeGreaterThan(0.25);
  expect(variance / planned).toBeLessThan(2.6);
  expect(Math.max(...R.map(Math.abs))).toBeLessThan(Number(tails.R));

  const shift = shiftOf(task);
  const shifted = unflatten(
    task,
    noisy.map((value, i) => value + shift[i]!),
  );
  const expected = withoutShift(task, decompose(programOf(task), shifted));
  expect(projection.sampleCount).toBe(expected.sampleCount);
  for (const [i, value] of expected.eigenvalues.entries())
    expect(Math.abs(projection.eigenvalues[i]! / value - 1)).toBeLessThan(1e-9);
  expect(Math.abs(projection.trace! - expected.trace!)).toBeLessThan(1e-6);
});

test.each(['owners', 'servers'] as const)(
  'an owner whose state ends with its process takes no part, where noise is that of the %s',
  async (noise) => {
    const { world, parties } = recorded;
    const { task } = await parties.client.create(proposalOf(noise));
    const owner = new DataOwner({
      state: new MemoryOwnerState(),
      policy: OwnerPolicy.parse({ twoParty: ['simulated'], minimumKeyBits: 1024, allowFullRank: true }),
      paillier: new PaillierPool({ threads: 0 }),
    });
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    await owner.enrol(world.cspAddress, token!, Thumbprint.parse(world.dataUserConfig.cspThumbprint));
    const summarise = vi.fn();
    await expect(owner.contribute(world.dataUserAddress, task.id, summarise)).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringMatching(/differentialPrivacy.*in memory.*OwnerHome/),
    });
    expect(summarise).not.toHaveBeenCalled();
  },
);
