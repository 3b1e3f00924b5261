/** What the benchmarks hold against each other computes the same: the literal protocol and Eigenveil, under real keys. */

import { fileURLToPath } from 'node:url';
import {
  type Ciphertext,
  encodeCiphertexts,
  generateKeyPair,
  PaillierPool,
  type SecretKey,
} from '@eigenveil/paillier';
import {
  addStatistics,
  flatten,
  layout,
  readFileBytes,
  type Statistics,
  statisticsOfCsv,
  unflatten,
} from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { exampleStatistics, exampleTask } from '../../speed/example-task.ts';
import {
  addLiterally,
  decryptLiterally,
  encryptLiterally,
  literalKey,
  literalValues,
  representative,
} from '../../speed/literal.ts';
import { dealRows, OWNERS, sumRows } from '../../speed/owners.ts';
import { measureRoles, ROLE_COLUMNS } from '../../speed/roles.ts';
import { contributeAndUnblind, opened, type StepsTask } from '../../speed/steps.ts';

const D = 3;

function taskOf(kind: 'pca' | 'dca', keyBits: number): StepsTask {
  return {
    ...exampleTask(D, keyBits),
    method: kind === 'pca' ? { kind } : { kind, form: 'standard', ridge: 1, signalRidge: 0 },
    labellings: kind === 'pca' ? [] : [{ column: 'label', classes: ['a', 'b', 'c'] }],
  };
}

/** Rows of three owners; the second lacks class 2, and entries of R, V and V_k of both signs come up. */
const OWNERS_ROWS = [
  [
    { values: [0.5, -1, 0.25], classes: [0] },
    { values: [-0.75, 1, 0.125], classes: [1] },
    { values: [-1, -0.5, 1], classes: [2] },
  ],
  [
    { values: [-1, 0.5, -0.25], classes: [1] },
    { values: [-0.5, 0.25, -1], classes: [0] },
  ],
  [{ values: [0, 0, 0.0625], classes: [2] }],
];

function statisticsOfOwners(task: StatisticsTask): Statistics[] {
  return OWNERS_ROWS.map((rows) =>
    sumRows(
      task,
      rows.map(({ values, classes }) => ({ values, classes: task.labellings.length === 0 ? [] : classes })),
    ),
  );
}

/** Straight from the definition: the sum of x xᵀ, then the sum of x and the count, over all rows or per class. */
function fromRows(task: StatisticsTask): bigint[] {
  const unit = 2 ** task.fractionBits;
  const rows = OWNERS_ROWS.flat();
  const total = (of: (row: (typeof rows)[number]) => number, among = rows) =>
    BigInt(among.reduce((sum, row) => sum + of(row), 0));
  const R = Array.from({ length: D * D }, (_, at) =>
    total(({ values }) => unit * unit * values[Math.floor(at / D)]! * values[at % D]!),
  );
  const groups =
    task.labellings.length === 0
      ? [rows]
      : [0, 1, 2].map((k) => rows.filter(({ classes }) => classes[0] === k));
  const sums = groups.flatMap((group) => [
    ...Array.from({ length: D }, (_, i) => total(({ values }) => unit * values[i]!, group)),
    BigInt(group.length),
  ]);
  return [...R, ...sums];
}

function throughLiteral(key: SecretKey, task: StatisticsTask, owners: readonly Statistics[]): bigint[] {
  const theirs = literalKey(key);
  const [first, ...others] = owners.map((statistics) =>
    encryptLiterally(theirs.publicKey, literalValues(task, statistics)),
  );
  const encode = (list: readonly bigint[]) =>
    list.map((ciphertext) => encodeCiphertexts(key.publicKey, [ciphertext as Ciphertext]));
  const sums = others.reduce((sum, list) => addLiterally(theirs.publicKey, sum, encode(list)), first!);
  return decryptLiterally(theirs, sums);
}

async function throughEigenveil(
  secretKey: SecretKey,
  task: StepsTask,
  owners: readonly Statistics[],
): Promise<Statistics> {
  const under = { task, publicKey: secretKey.publicKey, secretKey, packing: layout(task) };
  const values = owners.map((statistics) => flatten(task, statistics));
  const shares = await contributeAndUnblind(under, values, new PaillierPool({ threads: 0 }));
  return unflatten(task, opened(task, shares));
}

describe.each([
  { kind: 'pca', tags: ['long'] },
  { kind: 'dca', tags: [] },
] as const)('the literal protocol and Eigenveil, $kind', ({ kind, tags }) => {
  const bits = tags.length === 0 ? 512 : 1024;
  const task = taskOf(kind, bits);
  let key: SecretKey;
  beforeAll(async () => {
    key = await generateKeyPair({ bits, scheme: 'djn', allowInsecureKey: true });
  });

  it('decrypt to the same statistics of all owners', { tags: [...tags] }, async () => {
    const owners = statisticsOfOwners(task);
    const expected = fromRows(task);
    expect(expected.some((value) => value < 0n)).toBe(true);
    expect(throughLiteral(key, task, owners)).toEqual(expected);
    expect(literalValues(task, await throughEigenveil(key, task, owners))).toEqual(expected);
  });
});

describe('literalValues', () => {
  it.each([
    ['pca', D * D + D + 1],
    ['dca', D * D + 3 * (D + 1)],
  ] as const)('has one value for each ciphertext of %s', (kind, count) => {
    const task = taskOf(kind, 1024);
    expect(literalValues(task, statisticsOfOwners(task)[0]!)).toHaveLength(count);
  });
});

describe('representative', () => {
  it('has the share of negative values that the whole has', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -1000n, max: 1000n }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (values, wanted) => {
          const count = Math.min(wanted, values.length);
          const sample = representative(values, count);
          expect(sample).toHaveLength(count);
          const share = (list: readonly bigint[]) => list.filter((value) => value < 0n).length / list.length;
          expect(Math.abs(share(sample) - share(values))).toBeLessThanOrEqual(1 / count);
        },
      ),
    );
  });

  it('is all values where as many are asked for', () => {
    expect(representative([3n, -1n, 2n, -1n], 4)).toEqual([-1n, -1n, 2n, 3n]);
  });
});

describe('measureRoles', () => {
  it('gives a sample of each role per repetition, and the sizes of a contribution', async () => {
    const task = taskOf('pca', 512);
    const records = await measureRoles({
      task,
      statistics: exampleStatistics(task),
      repetitions: 2,
      literalSample: 5,
    });
    expect(records.map(({ repetition }) => repetition)).toEqual([1, 2]);
    const eigenveilCiphertexts = layout(task).plaintexts.length;
    for (const record of records) {
      for (const column of ROLE_COLUMNS) expect(record[column]).toBeGreaterThan(0);
      expect(record).toMatchObject({
        literalCiphertexts: 13,
        literalCiphertextsTimed: 5,
        literalContributionBytes: 13 * 128,
        eigenveilCiphertexts,
        eigenveilContributionBytes: eigenveilCiphertexts * 128,
      });
    }
  });
});

describe('dealRows', () => {
  it('deals all rows of a file, which sum to what the file sums to', async () => {
    const file = fileURLToPath(new URL('../../../data/iris.csv', import.meta.url));
    const names = ['sepal_length', 'sepal_width', 'petal_length', 'petal_width'];
    const task: StatisticsTask = {
      ...taskOf('dca', 1024),
      features: names.map((name) => ({ name, min: 0, max: 10 })),
      labellings: [{ column: 'label', classes: ['0', '1', '2'] }],
    };
    const owners = await dealRows(file, task, []);
    expect(owners.map(({ length }) => length)).toEqual(new Array(OWNERS).fill(15));
    const pooled = owners.map((rows) => sumRows(task, rows)).reduce(addStatistics);
    const { statistics } = await statisticsOfCsv(readFileBytes(file), task);
    expect(pooled).toEqual({ ...statistics, owners: BigInt(OWNERS) });
  });
});
