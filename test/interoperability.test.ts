/**
 * Interoperability with paillier-bigint, a Paillier library by other people: it adds up and decrypts what owners sent to
 * the data user, and an owner that encrypts with it is served like all others.
 */
import { DataOwner, OwnerPolicy } from '@eigenveil/data-owner';
import { type Ciphertext, PaillierPool, type PublicKey, type SecretKey } from '@eigenveil/paillier';
import { layout } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import { modInv } from 'bigint-crypto-utils';
import * as theirs from 'paillier-bigint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ciphertextsOf } from './support/ciphertexts.ts';
import { plainSums } from './support/definitions.ts';
import { expectExactSums, expectReference } from './support/expectations.ts';
import { type RecordedWorld, startRecorded } from './support/recorded-world.ts';
import { only } from './support/recording-pool.ts';
import { runTask } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, split } from './support/tasks.ts';

let recorded: RecordedWorld;
beforeAll(async () => {
  recorded = await startRecorded(3);
});
afterAll(() => recorded.world.close());

/** The CSP's key in their form, with g = n + 1. */
function toTheirs({ p, q, publicKey: { n } }: SecretKey): theirs.PrivateKey {
  const lambda = (p - 1n) * (q - 1n);
  return new theirs.PrivateKey(lambda, modInv(lambda, n), new theirs.PublicKey(n, n + 1n), p, q);
}

/** The statistics of all rows at the offsets that the layout gives them, mod n. */
function packedSums(task: Task, n: bigint, parts: readonly LabelledRows[]): bigint[] {
  const sums = plainSums(task, parts);
  return Array.from(layout(task).plaintexts, (slots) => {
    const packed = slots.reduce(
      (total, { value, offset }) => total + sums[value]! * 2n ** BigInt(offset),
      0n,
    );
    return ((packed % n) + n) % n;
  });
}

const KEYS = [
  { keyBits: 1024, encryption: 'djn', name: 'pima', tags: [] },
  { keyBits: 2048, encryption: 'standard', name: 'iris', tags: ['long'] },
  { keyBits: 1024, encryption: 'standard', name: 'pima', tags: ['long'] },
  { keyBits: 2048, encryption: 'djn', name: 'iris', tags: ['long'] },
  { keyBits: 3072, encryption: 'standard', name: 'iris', tags: ['long'] },
] as const;
describe.each(KEYS)('keys of $keyBits bits, $encryption encryption, $name', (keys) => {
  test('they add up and decrypt what owners sent', { tags: [...keys.tags] }, async () => {
    const { keyBits, encryption, name } = keys;
    const { proposal, rows } = await exampleOf(dataFile(name), 'dca', { keyBits, encryption });
    const parts = split(rows, 3);
    const { task, n } = await runTask(recorded.parties, proposal, parts);
    const { csp, dataUser } = recorded.pools;
    const key = toTheirs(only(csp.keys.filter(({ publicKey }) => publicKey.n === n)));

    const contributions = dataUser.received(n).map((bytes) => ciphertextsOf(bytes, keyBits));
    expect(contributions).toHaveLength(3);
    const sums = contributions[0]!.map((_, i) => key.publicKey.addition(...contributions.map((c) => c[i]!)));
    expect(sums.map((c) => key.decrypt(c))).toEqual(packedSums(task, n, parts));

    // The data user's sum is theirs, and what the CSP reads from the blinded one they read, too.
    expect(dataUser.aggregations.findLast((it) => it.n === n)!.aggregate).toEqual(sums);
    const { ciphertexts, plaintexts } = only(csp.decryptions.filter((it) => it.n === n));
    expect(ciphertexts.map((c) => key.decrypt(c))).toEqual(plaintexts);
  });
});

/** Encrypts with paillier-bigint. */
class TheirPool extends PaillierPool {
  used = 0;

  override async encrypt({ n }: PublicKey, plaintexts: readonly bigint[]): Promise<Ciphertext[]> {
    this.used += plaintexts.length;
    const publicKey = new theirs.PublicKey(n, n + 1n);
    return plaintexts.map((plaintext) => publicKey.encrypt(plaintext) as Ciphertext);
  }
}

test('an owner that encrypts with paillier-bigint is served like all others', async () => {
  const { world, parties, pools } = recorded;
  const { home } = await world.enrolledOwner();
  const paillier = new TheirPool({ threads: 0 });
  const policy = OwnerPolicy.parse({ twoParty: ['simulated'], minimumKeyBits: 1024, allowFullRank: true });
  const stranger = new DataOwner({ state: home, policy, paillier });

  const { proposal, rows } = await exampleOf(dataFile('iris'), 'lda');
  const parts = split(rows, 3);
  const owners = [stranger, ...parties.owners];
  const finished = await runTask({ ...parties, owners }, proposal, parts);
  expect(paillier.used).toBe(layout(proposal).plaintexts.length);
  expectExactSums(finished, parts, pools);
  expectReference(finished.projection, finished.task, parts);
});
