/**
 * A process that prepares a part of a load before the clock starts: owners with keys, tokens and signed records, and a
 * contribution of each, encrypted. What it makes is what honest owners would send, byte for byte different for each.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import {
  add,
  type Ciphertext,
  encodeCiphertexts,
  PaillierPool,
  PublicKey,
  selfTest,
} from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute, signRecord } from '@eigenveil/protocol/owner';
import { openSigningKey } from '@eigenveil/server';
import { flatten, layout, sketchMatrix } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import {
  type Agreement,
  generatePrivateJwk,
  importSigningKey,
  issueOwnerToken,
  OwnerId,
  sketchSeed,
} from '@eigenveil/wire';
import { enrolAll, type NewOwner } from './enrol.ts';
import type { PreparedOwner, Slice } from './prepared.ts';
import { KINDS, statisticsOfKind } from './statistics.ts';

export interface PreparerAssignment {
  readonly task: Task;
  readonly agreement: Agreement;
  readonly cspFolder: string;
  readonly slice: Slice;
}

/** Owners prepared since the last message; 0 when everything is written. */
export interface Prepared {
  readonly owners: number;
}

/** Encryptions of zero of which the randomisers of all owners are made. */
const ZEROS = 64;
const OWNERS_PER_MESSAGE = 50;
const TOKEN_SECONDS = 86_400;

async function prepare({ task, agreement, cspFolder, slice }: PreparerAssignment): Promise<void> {
  selfTest({ allowBigintFallback: false });
  const publicKey = PublicKey.fromJSON(agreement.publicKey, task);
  const pool = new PaillierPool({ threads: 0 });
  const cspKey = await openSigningKey(cspFolder);
  const by = { paillier: pool, randomness: systemRandomness };
  const packing = layout(task);
  const signs = task.sketch && sketchMatrix(sketchSeed(agreement), task);
  const kinds = new Map<number, Ciphertext[]>();
  for (let done = 0; done < Math.min(KINDS, slice.count); done += 1) {
    const kind = (slice.start + done) % KINDS;
    const bytes = await contribute(
      { task, publicKey, packing },
      flatten(task, statisticsOfKind(task, kind, signs)),
      by,
    );
    kinds.set(kind, await pool.decode(publicKey, bytes, packing.plaintexts.length));
  }
  const randomise = await randomiser(publicKey, pool);

  const contributions = createWriteStream(slice.contributionsFile);
  const owners = createWriteStream(slice.ownersFile);
  const enrolled: NewOwner[] = [];
  for (let done = 0; done < slice.count; done += 1) {
    const kind = (slice.start + done) % KINDS;
    const bytes = encodeCiphertexts(publicKey, kinds.get(kind)!.map(randomise));
    const privateJwk = await generatePrivateJwk();
    const key = await importSigningKey(privateJwk);
    const ownerId = OwnerId.parse(randomBytes(16).toString('base64url'));
    const { thumbprint } = key;
    const ownerToken = await issueOwnerToken(cspKey, { ownerId, thumbprint, lifetimeSeconds: TOKEN_SECONDS });
    const record = await signRecord(agreement, bytes, { ownerId, key });
    const owner: PreparedOwner = { privateJwk, ownerToken, record };
    enrolled.push({ ownerId, thumbprint });
    if (!contributions.write(bytes)) await once(contributions, 'drain');
    if (!owners.write(`${JSON.stringify(owner)}\n`)) await once(owners, 'drain');
    if ((done + 1) % OWNERS_PER_MESSAGE === 0) tell(OWNERS_PER_MESSAGE);
  }
  contributions.end();
  owners.end();
  await Promise.all([finished(contributions), finished(owners)]);
  enrolAll(cspFolder, enrolled);
  if (slice.count % OWNERS_PER_MESSAGE > 0) tell(slice.count % OWNERS_PER_MESSAGE);
  tell(0);
}

/**
 * Gives each ciphertext a randomiser of its own for two products instead of an exponentiation (a few milliseconds): the
 * next product of encryptions of zero that are drawn once. Good enough for load, where nothing is secret.
 */
async function randomiser(publicKey: PublicKey, pool: PaillierPool): Promise<(c: Ciphertext) => Ciphertext> {
  const zeros = await pool.encrypt(publicKey, Array<bigint>(ZEROS).fill(0n), 'standard');
  let [zero] = (await pool.encrypt(publicKey, [0n], 'standard')) as [Ciphertext];
  let next = 0;
  return (ciphertext) => {
    zero = add(publicKey, zero, zeros[next++ % ZEROS]!);
    return add(publicKey, ciphertext, zero);
  };
}

function tell(owners: number): void {
  process.send!({ owners } satisfies Prepared);
}

process.once('message', (assignment: PreparerAssignment) => {
  prepare(assignment).then(
    () => process.disconnect!(),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
