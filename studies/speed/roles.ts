/**
 * One owner's contribution, its addition at the data user and the unblinding at the CSP: Eigenveil and the published
 * protocol done literally take turns, on one thread and under the same keys.
 */
import {
  type Ciphertext,
  type EncryptionScheme,
  encodeCiphertexts,
  PaillierPool,
  PublicKey,
  type SecretKey,
} from '@eigenveil/paillier';
import type { Integers } from '@eigenveil/platform';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { blind, draw, sharesAtDataUser, unblind } from '@eigenveil/protocol/servers';
import { flatten, layout, type Statistics } from '@eigenveil/statistics';
import { interleavedSamples } from '../instrument/measure.ts';
import type { Tidy } from '../instrument/tidy.ts';
import {
  addLiterally,
  decryptLiterally,
  encryptLiterally,
  literalKey,
  literalValues,
  representative,
} from './literal.ts';
import { checkValues, opened, type StepsTask } from './steps.ts';

/** Literal beside Eigenveil, by the columns of both. */
export const COMPARISONS = [
  {
    name: 'ownerStandard',
    title: 'owner, standard encryption',
    literal: 'owner/literal',
    eigenveil: 'owner/standard',
  },
  { name: 'ownerDjn', title: 'owner, DJN encryption', literal: 'owner/literal', eigenveil: 'owner/djn' },
  { name: 'user', title: 'data user, per owner', literal: 'user/literal', eigenveil: 'user/eigenveil' },
  {
    name: 'userChecked',
    title: 'data user, per owner, ciphertexts checked',
    literal: 'user/literal',
    eigenveil: 'user/checked',
  },
  { name: 'csp', title: 'CSP', literal: 'csp/literal', eigenveil: 'csp/eigenveil' },
] as const;

export type RoleColumn = (typeof COMPARISONS)[number]['literal' | 'eigenveil'];

/** The titles above these columns. */
export const ROLE_TITLES = {
  'owner/literal': 'owner: literal',
  'owner/standard': 'owner: Eigenveil, standard encryption',
  'owner/djn': 'owner: Eigenveil, DJN encryption',
  'user/literal': 'data user, per owner: literal',
  'user/eigenveil': 'data user, per owner: Eigenveil',
  'user/checked': 'data user, per owner: Eigenveil, ciphertexts checked',
  'csp/literal': 'CSP: literal',
  'csp/eigenveil': 'CSP: Eigenveil',
} as const satisfies Record<RoleColumn, string>;
export const ROLE_COLUMNS = Object.keys(ROLE_TITLES) as readonly RoleColumn[];

/** Records of literal beside Eigenveil, role by role, with the ratio within the repetition. */
export function comparisonsOf(records: readonly Tidy[]): Tidy[] {
  return COMPARISONS.flatMap(({ name, literal, eigenveil }) =>
    records.map((record) => ({
      ...record,
      comparison: name,
      literal: record[literal]!,
      eigenveil: record[eigenveil]!,
      times: Number(record[literal]) / Number(record[eigenveil]),
      timesBytes: Number(record.literalContributionBytes) / Number(record.eigenveilContributionBytes),
    })),
  );
}

interface RolesRequest {
  readonly task: StepsTask;
  /** The statistics of one owner. */
  readonly statistics: Statistics;
  readonly repetitions: number;
  /** At most this number of the literal protocol's ciphertexts are timed, and scaled up to all of them. */
  readonly literalSample: number;
  note?(text: string): void;
}

/** Milliseconds of each role in one repetition, and sizes, which are the same in all. */
type RolesRecord = Readonly<Record<RoleColumn, number>> & {
  readonly repetition: number;
  readonly literalCiphertexts: number;
  /** The number of them that were timed. */
  readonly literalCiphertextsTimed: number;
  readonly literalContributionBytes: number;
  readonly eigenveilCiphertexts: number;
  readonly eigenveilContributionBytes: number;
};

/** A first guess from one machine: per ciphertext of the literal protocol, and per key, both cubic in its length. */
export function expectedSeconds({
  keyBits,
  features,
  repetitions,
  literalSample,
}: Readonly<Record<'keyBits' | 'features' | 'repetitions' | 'literalSample', number>>): number {
  const length = keyBits / 2048;
  const literal = (literalSample * 0.05 + 0.4) * length ** 3;
  const eigenveil = 0.4 * (features / 34) ** 2 * length ** 2;
  return (repetitions + 1) * (literal + eigenveil);
}

/** Contributions that the data user adds within one sample: one alone may take no longer than the clock's step. */
const CONTRIBUTIONS = 50;
const LITERAL_ADDITIONS = 1000;

/** @throws Error when a role comes to other values than those that the owner encrypted */
export async function measureRoles(request: RolesRequest): Promise<RolesRecord[]> {
  const pool = new PaillierPool({ threads: 0 });
  try {
    return await measureWith(pool, request);
  } finally {
    await pool.close();
  }
}

async function measureWith(pool: PaillierPool, request: RolesRequest): Promise<RolesRecord[]> {
  const { task, statistics, repetitions, literalSample, note } = request;
  const packing = layout(task);
  const count = packing.plaintexts.length;
  const values = flatten(task, statistics);
  const literal = literalValues(task, statistics);
  const sample = representative(literal, Math.min(literalSample, literal.length));
  const scale = literal.length / sample.length;

  note?.('making keys');
  const keys: SecretKey[] = [];
  for (let i = 0; i <= repetitions; i += 1) {
    keys.push(await pool.generateKeyPair({ bits: task.keyBits, scheme: 'djn', allowInsecureKey: true }));
  }
  const publicKeys = keys.map(({ publicKey }) => publicKey);
  // The pool sets up once per key, so without h this counts as another key: each scheme pays for its own set-up.
  const standardKeys = publicKeys.map(({ n }) => new PublicKey({ n }));
  const theirKeys = keys.map(literalKey);

  note?.('owner');
  const theirCiphertexts: bigint[][] = [];
  const contributions: Uint8Array[] = [];
  const by = { paillier: pool, randomness: systemRandomness };
  const encrypt = async (i: number, publicKey: PublicKey, encryption: EncryptionScheme) => {
    contributions[i] = await contribute({ task: { ...task, encryption }, publicKey, packing }, values, by);
  };
  const owner = await interleavedSamples(
    {
      literal: {
        run: (i) => {
          theirCiphertexts[i] = encryptLiterally(theirKeys[i]!.publicKey, sample);
        },
      },
      standard: { run: (i) => encrypt(i, standardKeys[i]!, 'standard') },
      djn: { run: (i) => encrypt(i, publicKeys[i]!, 'djn') },
    },
    repetitions,
  );

  note?.('data user');
  const aggregates = await Promise.all(
    contributions.map((bytes, i) => pool.decode(publicKeys[i]!, bytes, count)),
  );
  const theirBytes = theirCiphertexts.map((list, i) =>
    list.map((ciphertext) => encodeCiphertexts(publicKeys[i]!, [ciphertext as Ciphertext])),
  );
  const rounds = Math.ceil(LITERAL_ADDITIONS / sample.length);
  const receive = async (i: number, checks: boolean, contributionCount: number) => {
    let aggregate = aggregates[i]!;
    for (let k = 0; k < contributionCount; k += 1) {
      if (checks) await pool.check(publicKeys[i]!, contributions[i]!, count);
      aggregate = await pool.aggregate(publicKeys[i]!, aggregate, [contributions[i]!]);
    }
  };
  // The data user meets a key once and contributions under it many times, so the set-up is not part of one of them.
  const contestant = (checks: boolean) => ({
    prepare: (i: number) => receive(i, checks, 1),
    run: (i: number) => receive(i, checks, CONTRIBUTIONS),
  });
  const user = await interleavedSamples(
    {
      literal: {
        run: (i) => {
          let sums = theirCiphertexts[i]!;
          for (let k = 0; k < rounds; k += 1)
            sums = addLiterally(theirKeys[i]!.publicKey, sums, theirBytes[i]!);
        },
      },
      eigenveil: contestant(false),
      checked: contestant(true),
    },
    repetitions,
  );

  note?.('CSP');
  const drawn = aggregates.map(() => draw({ task, packing }, systemRandomness));
  const blinded = await Promise.all(
    aggregates.map(async (aggregate, i) => {
      const publicKey = publicKeys[i]!;
      return pool.decode(publicKey, await blind({ publicKey, packing }, aggregate, drawn[i]!, pool), count);
    }),
  );
  const theirDecrypted: bigint[][] = [];
  const shares: Integers[] = [];
  const csp = await interleavedSamples(
    {
      literal: {
        run: (i) => {
          theirDecrypted[i] = decryptLiterally(theirKeys[i]!, theirCiphertexts[i]!);
        },
      },
      eigenveil: {
        run: async (i) => {
          shares[i] = await unblind({ task, secretKey: keys[i]!, packing }, blinded[i]!, by);
        },
      },
    },
    repetitions,
  );
  for (const decrypted of theirDecrypted) checkValues('the literal protocol', decrypted, sample);
  for (const [i, csp] of shares.entries()) {
    const dataUser = sharesAtDataUser(task, drawn[i]!);
    checkValues('Eigenveil', opened(task, { csp, dataUser }), values);
  }

  return owner.literal.map((milliseconds, i) => ({
    repetition: i + 1,
    'owner/literal': milliseconds * scale,
    'owner/standard': owner.standard[i]!,
    'owner/djn': owner.djn[i]!,
    'user/literal': user.literal[i]! * (scale / rounds),
    'user/eigenveil': user.eigenveil[i]! / CONTRIBUTIONS,
    'user/checked': user.checked[i]! / CONTRIBUTIONS,
    'csp/literal': csp.literal[i]! * scale,
    'csp/eigenveil': csp.eigenveil[i]!,
    literalCiphertexts: literal.length,
    literalCiphertextsTimed: sample.length,
    literalContributionBytes: literal.length * publicKeys[0]!.ciphertextBytes,
    eigenveilCiphertexts: count,
    eigenveilContributionBytes: contributions[0]!.length,
  }));
}
