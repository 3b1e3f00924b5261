/** One owner's contribution to a sketched task, in a process of its own on one thread: reads its rows, sums, encrypts, and keeps the bytes in a file. */
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { PaillierPool, PublicKey, type PublicKeyJson } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contributeInParts } from '@eigenveil/protocol/owner';
import { flatten, layout, readFileBytes, sketchMatrix, statisticsOfCsv } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import { type Used, used } from '../two-party.ts';

/** The assignment that the process is told. */
export interface OwnerAssignment {
  readonly task: Task;
  readonly publicKey: PublicKeyJson;
  /** The seed of Ω: the owner makes it for itself. */
  readonly seed: Uint8Array;
  readonly file: string;
  readonly ignoredColumns: readonly string[];
  /** The place of its contribution. */
  readonly out: string;
}

export interface Contributed extends Used {
  /** The bytes of the contribution. */
  readonly bytes: number;
  /** The time from the first row to the last byte; processor time is of the whole process. */
  readonly seconds: number;
}

/** Ciphertexts, as an owner's program makes them at once. */
const AT_ONCE = 2048;

setFlagsFromString('--heap-growing-percent=20'); // as the owner's command does before it sums for a sketch
process.on('disconnect', () => process.exit()); // an interrupted benchmark must not leave processes behind
const [assignment] = (await once(process, 'message')) as [OwnerAssignment];
const { task, seed, ignoredColumns } = assignment;
const publicKey = PublicKey.fromJSON(assignment.publicKey);
const started = performance.now();
const signs = task.sketch && sketchMatrix(seed, task);
const { statistics } = await statisticsOfCsv(readFileBytes(assignment.file), task, { ignoredColumns, signs });
const paillier = new PaillierPool({ threads: 0 });
const by = { paillier, randomness: systemRandomness };
const under = { task, publicKey, packing: layout(task) };
const out = await open(assignment.out, 'w', 0o600);
let bytes = 0;
for await (const part of contributeInParts(under, flatten(task, statistics), by, AT_ONCE)) {
  await out.writeFile(part);
  bytes += part.length;
}
await out.sync();
await out.close();
const seconds = (performance.now() - started) / 1000;
await paillier.close();
process.send!({ bytes, seconds, ...used() } satisfies Contributed, () => process.exit());
