/** A running CSP and data user whose Paillier pools record what they do, and enrolled owners. */
import type { OwnerPolicy } from '@eigenveil/data-owner';
import { type Pools, RecordingPool } from './recording-pool.ts';
import { PATIENCE_MILLISECONDS, type Parties } from './run-task.ts';
import { World } from './world.ts';

export interface RecordedWorld {
  readonly world: World;
  readonly pools: Pools;
  readonly parties: Parties;
}

/** Close its world in the end. `dataUserPool` may also do something wrong. */
export async function startRecorded(
  ownerCount: number,
  dataUserPool = new RecordingPool(),
): Promise<RecordedWorld> {
  const pools = { csp: new RecordingPool(), dataUser: dataUserPool };
  const world = await World.start({
    cspOverrides: { paillier: pools.csp },
    dataUserOverrides: { paillier: pools.dataUser },
  });
  return { world, pools, parties: await partiesOf(world, ownerCount) };
}

/** The operator and freshly enrolled owners, all of one policy. */
export async function partiesOf(
  world: World,
  ownerCount: number,
  policy: Partial<OwnerPolicy> = {},
): Promise<Parties> {
  const enrolled = await Promise.all(Array.from({ length: ownerCount }, () => world.enrolledOwner(policy)));
  return {
    client: await world.taskClient(PATIENCE_MILLISECONDS),
    dataUser: world.dataUserAddress,
    owners: enrolled.map(({ owner }) => owner),
  };
}
