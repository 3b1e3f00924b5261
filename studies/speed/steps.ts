/** The steps of the protocol in one process: what owners contribute, to both servers' shares. */
import type { Ciphertext, Packing, PaillierPool, PublicKey, SecretKey } from '@eigenveil/paillier';
import type { IntegerList } from '@eigenveil/platform';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { blind, draw, sharesAtDataUser, unblind } from '@eigenveil/protocol/servers';
import type { StatisticsTask, Task } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { combine } from '@eigenveil/two-party/insides';

/** The work of owners and servers with a task, without what it is proposed and signed by. */
export type StepsTask = StatisticsTask & Pick<Task, 'encryption' | 'twoParty'>;

/** The material of the steps, of all parties together. */
export interface KeyedTask {
  readonly task: StepsTask;
  readonly publicKey: PublicKey;
  readonly secretKey: SecretKey;
  readonly packing: Packing;
}

interface BothShares {
  readonly csp: IntegerList;
  readonly dataUser: IntegerList;
}

/** Adds contributions of a number of owners, given by their flat statistics, to the servers' shares. */
export async function contributeAndUnblind(
  under: KeyedTask,
  owners: readonly (readonly bigint[])[],
  paillier: PaillierPool,
): Promise<BothShares> {
  const { publicKey, packing } = under;
  const contributions: Uint8Array[] = [];
  for (const values of owners)
    contributions.push(await contribute(under, values, { paillier, randomness: systemRandomness }));
  const [first, ...others] = contributions;
  const start = await paillier.decode(publicKey, first!, packing.plaintexts.length);
  return unblindAggregate(under, await paillier.aggregate(publicKey, start, others), paillier);
}

/** Blinding at the data user, unblinding at the CSP. */
export async function unblindAggregate(
  under: KeyedTask,
  aggregate: readonly Ciphertext[],
  paillier: PaillierPool,
): Promise<BothShares> {
  const { task, publicKey, packing } = under;
  const drawn = draw(under, systemRandomness);
  const bytes = await blind(under, aggregate, drawn, paillier);
  const blinded = await paillier.decode(publicKey, bytes, packing.plaintexts.length);
  return {
    csp: await unblind(under, blinded, { paillier, randomness: systemRandomness }),
    dataUser: sharesAtDataUser(task, drawn),
  };
}

/** The values that the shares of both servers add up to. */
export function opened(task: StepsTask, { csp, dataUser }: BothShares): bigint[] {
  return combine(TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task), csp, dataUser);
}

/** Figures of a computation that goes wrong would say nothing. */
export function checkValues(what: string, got: readonly bigint[], expected: readonly bigint[]): void {
  if (got.length !== expected.length || got.some((value, i) => value !== expected[i]))
    throw new Error(`${what} expected the values that the owners encrypted, got others`);
}
