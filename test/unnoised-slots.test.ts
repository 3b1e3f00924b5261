/**
 * A data user that deviates, and the values that take no noise: why the guarantee is one against servers
 * that follow the protocol (docs/privacy.md).
 *
 * @claims S-144, P-94
 */
import { type Ciphertext, PaillierPool, type Plaintext, type SecretKey } from '@eigenveil/paillier';
import { type Neighbours, type NoiseDrawers, systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { blind, draw, sharesAtDataUser, unblind } from '@eigenveil/protocol/servers';
import { layout } from '@eigenveil/statistics';
import { newTaskId, placesOf, type Task, TaskProposal } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { combine } from '@eigenveil/two-party/insides';
import { modInv, modPow } from 'bigint-crypto-utils';
import { afterAll, beforeAll, expect, test } from 'vitest';

const OWNERS = 2n;
const SAMPLES_PER_OWNER = 1000;
const paillier = new PaillierPool({ threads: 0 });
let secretKey: SecretKey;
beforeAll(async () => {
  secretKey = await paillier.generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
});
afterAll(() => paillier.close());

/** Its last plaintext is the one that is worked on. */
function arrange(noise: NoiseDrawers, neighbours: Neighbours) {
  const proposal = TaskProposal.parse({
    method: { kind: 'pca' },
    features: ['x', 'y', 'z'].map((name) => ({ name, min: -1, max: 1 })),
    components: 1,
    minimumOwners: 2,
    maximumOwners: 3,
    maximumSamplesPerOwner: SAMPLES_PER_OWNER,
    keyBits: 1024,
    allowInsecureKey: true,
    exact: true,
    allowFullRank: true,
    deadline: new Date(0).toISOString(),
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-5,
      neighbours,
      clippingNorm: 1,
      noise,
      dataIndependentRanges: true,
    },
  });
  const thumbprint = 'A'.repeat(43) as Task['csp'];
  const task: Task = {
    ...proposal,
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: thumbprint,
    dataUser: thumbprint,
  };
  const packing = layout(task);
  const slots = packing.plaintexts.at(-1)!;
  const slotOf = (value: number) => slots.find((slot) => slot.value === value)!;
  const { owners, labellings } = placesOf(task);
  const { V, M } = labellings[0]![0]!;
  return {
    under: { task, publicKey: secretKey.publicKey, secretKey, packing },
    packed: (values: readonly bigint[]): bigint =>
      slots.reduce((sum, { value, offset }) => sum + (values[value]! << BigInt(offset)), 0n),
    lastSum: slotOf(V.to - 1),
    rows: slotOf(M.from),
    owners: slotOf(owners.from),
  };
}

/** What comes out of an unblinding if the data user makes (x + subtract)·factor + put of the last plaintext x. */
async function unblinded(
  { under }: ReturnType<typeof arrange>,
  values: readonly bigint[],
  { subtract, factor, put }: { subtract: bigint; factor: bigint; put: bigint },
): Promise<bigint[]> {
  const { task, publicKey, packing } = under;
  const { n, nSquared } = publicKey;
  const { length } = packing.plaintexts;
  const encrypted = async (x: bigint): Promise<bigint> => {
    const plaintext = (((x % n) + n) % n) as Plaintext;
    return (await paillier.encrypt(publicKey, [plaintext], 'standard'))[0]!;
  };
  const by = { paillier, randomness: systemRandomness };
  const aggregate = await paillier.decode(publicKey, await contribute(under, values, by), length);
  const left = (aggregate.at(-1)! * (await encrypted(-subtract))) % nSquared;
  const moved = (modPow(left, factor % n, nSquared) * (await encrypted(put))) % nSquared;
  const drawn = draw(under, systemRandomness);
  const blinded = await blind(under, aggregate.with(-1, moved as Ciphertext), drawn, paillier);
  const atCsp = await unblind(under, await paillier.decode(publicKey, blinded, length), by);
  return combine(TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task), atCsp, sharesAtDataUser(task, drawn));
}

test.each(['servers', 'csp'] as const)(
  'with noise of %s the number of owners tells whoever knows all other rows whether a row is there',
  async (noise) => {
    const arranged = arrange(noise, 'add-remove');
    const { packed, owners } = arranged;
    const known = new Array<bigint>(owners.value).fill(20n).concat(OWNERS);
    const row = new Array<bigint>(owners.value).fill(3n).concat(0n);
    // What is left without the known rows is the row or 0; times this, 1 or 0 in the slot of the owners.
    const factor = modInv(packed(row), secretKey.publicKey.n) << BigInt(owners.offset);
    const moves = { subtract: packed(known), factor, put: packed(known) };
    const without = await unblinded(arranged, known, moves);
    expect(without[owners.value]).toBe(OWNERS);
    const sums = known.map((value, i) => value + row[i]!);
    expect((await unblinded(arranged, sums, moves))[owners.value]).toBe(OWNERS + 1n);
  },
);

test('where a row is replaced by another, the number of rows gives the leading digits of a sum to who knows no row', async () => {
  const arranged = arrange('csp', 'replace');
  const { lastSum, rows, owners } = arranged;
  const count = 900n;
  const secret = 12_345_678n;
  const values = new Array<bigint>(owners.value).fill(0n).concat(OWNERS);
  values[lastSum.value] = secret;
  values[rows.value] = count;
  const known = (count << BigInt(rows.offset)) + (OWNERS << BigInt(owners.offset));
  const digits = rows.valueBits - 2;
  const dropped = BigInt(lastSum.valueBits - digits);
  const factor = 1n << (BigInt(rows.offset - lastSum.offset) - dropped);
  const put = (1n << BigInt(rows.offset + digits - 1)) + (OWNERS << BigInt(owners.offset));
  const seen = await unblinded(arranged, values, { subtract: known, factor, put });
  expect(seen[owners.value]).toBe(OWNERS);
  // The blinding of the slot below carries at most 1.
  const carry = seen[rows.value]! - (1n << BigInt(digits - 1)) - (secret >> dropped);
  expect([0n, 1n]).toContain(carry);
  expect(secret >> dropped).toBeGreaterThan(100n);
});
