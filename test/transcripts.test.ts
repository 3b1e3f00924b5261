/**
 * What the two servers see. CSP and data user record a full transcript each: the CSP's holds blinded values only, the
 * data user's holds ciphertexts. Wherever something must not be found, the same search finds it after a fault is put in.
 */
import { type Ciphertext, decrypt, pack, packBlinding, unpackBlinded } from '@eigenveil/paillier';
import { layout } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import {
  criticalDistance,
  distanceBetween,
  distanceFromUniform,
} from '@eigenveil/testbed/goodness/kolmogorov';
import { type Form, findForms, formsOf, formsOfNumbers } from '@eigenveil/testbed/leaks';
import type { Wiretap } from '@eigenveil/testbed/proxies/wiretap';
import { RECORD } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ciphertextsOf, productOf } from './support/ciphertexts.ts';
import { plainSums } from './support/definitions.ts';
import { type RecordedWorld, startRecorded } from './support/recorded-world.ts';
import { only, RecordingPool, unblindingOf } from './support/recording-pool.ts';
import { type FinishedTask, finishTask } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, madeUpProposal, split } from './support/tasks.ts';
import { WatchedWorld } from './support/watched-world.ts';

const OWNERS = 3;

/** Features of 21 bits have statistics of up to 50 bits, which no accident puts into a transcript. */
const { proposal, rows } = await exampleOf(dataFile('pima'), 'dca', { fractionBits: 20 });
const parts = split(rows, OWNERS);

/** The statistics of all owners together and of each of them, in every form. */
const forms: readonly Form[] = [parts, ...parts.map((part) => [part])].flatMap((group) =>
  formsOf(plainSums(proposal, group), layout(proposal), proposal.fractionBits),
);

/** Every header that the CSP gets, those of the WebSocket included. */
const HEADERS = [
  ...['host', 'connection', 'content-type', 'content-length', 'dpop'],
  ...['upgrade', 'sec-websocket-version', 'sec-websocket-key'],
  ...['authorization', 'eigenveil-protocol'],
];

function readHeader(line: string): [string, string] {
  const [name, ...value] = line.split(':');
  return [name!.toLowerCase(), value.join(':').trim()];
}

type Encrypting = (...of: Parameters<RecordingPool['encrypt']>) => ReturnType<RecordingPool['encrypt']>;

/** Encrypts what the data user adds as it is, or as a test says. */
class FaultyPool extends RecordingPool {
  /** In place of the encryption that it gets. */
  fault: ((encrypt: Encrypting) => Encrypting) | undefined;

  override encrypt(...of: Parameters<RecordingPool['encrypt']>) {
    const encrypt: Encrypting = (...own) => super.encrypt(...own);
    return (this.fault?.(encrypt) ?? encrypt)(...of);
  }
}

/** Of the blinding values only `spare` random bits more than the value has survive; below 0 none at all. */
function weaklyBlinding(task: TaskProposal, spare: number): (encrypt: Encrypting) => Encrypting {
  const packing = layout(task);
  return (encrypt) => (publicKey, plaintexts, scheme) => {
    const weak = unpackBlinded(packing, plaintexts).map((blinding, i) => {
      const bits = packing.valueBits[i]!;
      const bias = 1n << BigInt(bits - 1);
      return bias + (spare < 0 ? 0n : BigInt.asUintN(bits + spare, blinding - bias));
    });
    return encrypt(publicKey, packBlinding(publicKey, packing, weak), scheme);
  };
}

describe('the transcripts of one task', () => {
  const pool = new FaultyPool();
  let watched: WatchedWorld;
  let finished: FinishedTask;
  beforeAll(async () => {
    watched = await WatchedWorld.start(OWNERS, pool);
    finished = await watched.finish(proposal, parts);
    expect(finished.status.state).toBe('done');
  });
  afterAll(() => watched.close());

  test('the CSP is asked what the protocol says and nothing else', () => {
    const { task } = finished;
    const requests = watched.taps.csp.requests();
    const names = requests.map(({ name }) => name.replace(task.id, '{taskId}'));
    // When the CSP's certificate is looked at depends on how long it takes to start.
    expect(new Set(names.filter((name) => name !== 'GET /healthz'))).toEqual(
      new Set([
        'GET /.well-known/jwks.json',
        'POST /enrolments',
        'POST /owners/counter',
        'GET /revocations',
        'POST /tasks',
        'POST /tasks/{taskId}/records',
        'POST /tasks/{taskId}/records/fixation',
        'POST /tasks/{taskId}/unblinding',
        'GET /tasks/{taskId}/two-party',
        'POST /tasks/{taskId}/countersignature',
        'DELETE /tasks/{taskId}',
      ]),
    );
    const bodies = (name: string) => requests.filter((_, i) => names[i] === name).map(({ body }) => body);
    const json = (body: Buffer) => JSON.parse(body.toString()) as unknown;
    for (const body of bodies('POST /enrolments')) {
      expect(json(body)).toEqual({ enrolmentToken: expect.stringMatching(/^[\w-]{43}$/) });
    }
    expect(bodies('POST /tasks').map(json)).toEqual([{ task }]);
    const records = only(bodies('POST /tasks/{taskId}/records').map(json)) as { records: string[] };
    expect(records).toEqual({ records: new Array(OWNERS).fill(expect.any(String)) });
    // Digests and ids: the schema is strict, so there is nothing else in a record.
    for (const record of records.records) {
      const payload = Buffer.from(record.split('.')[1]!, 'base64url');
      expect(RECORD.schema.parse(json(payload)).taskId).toBe(task.id);
    }
    const blinded = only(bodies('POST /tasks/{taskId}/unblinding'));
    expect(ciphertextsOf(blinded, task.keyBits)).toHaveLength(layout(task).plaintexts.length);
    const countersigned = only(bodies('POST /tasks/{taskId}/countersignature').map(json));
    expect(countersigned).toEqual({ projectionDigest: expect.stringMatching(/^[\w-]{43}$/) });
    for (const name of [
      'GET /.well-known/jwks.json',
      'GET /tasks/{taskId}/two-party',
      'DELETE /tasks/{taskId}',
    ]) {
      for (const body of bodies(name)) expect(body).toHaveLength(0);
    }
    const headers = requests.map(({ head }) => new Map(head.split('\r\n').slice(1).map(readHeader)));
    expect(new Set(headers.flatMap((header) => [...header.keys()]))).toEqual(new Set(HEADERS));
    for (const header of headers.filter((it) => it.has('dpop'))) {
      const [, claims] = header.get('dpop')!.split('.');
      const kinds = Object.keys(json(Buffer.from(claims!, 'base64url')) as object);
      // An owner's proof is bound to its token, as the CSP has enrolled it.
      const bound = header.has('authorization') ? ['ath'] : [];
      expect(new Set(kinds)).toEqual(new Set(['htm', 'htu', 'jti', 'iat', ...bound]));
    }
    // In `simulated` the data user says nothing but goodbye: a close frame with status 1000.
    expect(watched.taps.csp.framesToService()).toEqual([Buffer.from([0x03, 0xe8])]);
  });

  test("the CSP's holds no statistic in any form", () => {
    expect(watched.pools.csp.decryptions).toHaveLength(1);
    expect(findForms(watched.cspTranscript(finished), forms)).toEqual([]);
  });

  test("the CSP's holds nothing of the result", async () => {
    const { vectors, eigenvalues } = await watched.parties.client.result(finished.task.id);
    const results = formsOfNumbers([...vectors.flat(), ...eigenvalues]);
    expect(results.length).toBeGreaterThan(0);
    expect(findForms(watched.cspTranscript(finished), results)).toEqual([]);
  });

  test("the data user's holds no statistic either, only ciphertexts", () => {
    const { task, n } = finished;
    expect(findForms(watched.dataUserTranscript(), forms)).toEqual([]);
    expect(watched.pools.dataUser.keys).toEqual([]);
    expect(watched.pools.dataUser.decryptions).toEqual([]);
    // The bodies are encryptions of what owners should send, and of nothing else.
    const bodies = watched.taps.dataUser
      .requests()
      .filter(({ name }) => name === `PUT /tasks/${task.id}/contribution`)
      .map(({ body }) => body.toString('base64'));
    const key = watched.pools.csp.keys.find(({ publicKey }) => publicKey.n === n)!;
    const decrypted = bodies.map((body) =>
      ciphertextsOf(Buffer.from(body, 'base64'), task.keyBits).map((c) => decrypt(key, c as Ciphertext)),
    );
    const expected = parts.map((part) => pack(key.publicKey, layout(task), plainSums(task, [part])));
    const inOrder = (lists: readonly (readonly bigint[])[]) => lists.map(String).toSorted();
    expect(inOrder(decrypted)).toEqual(inOrder(expected));
  });

  // Not what a private protocol would leave: `simulated` hands the CSP's shares to the data user, which therefore sees the
  // pooled statistics of all owners. A protocol that is private replaces this test by its opposite.
  test('with `simulated` the data user can add up the shares to the pooled statistics', () => {
    const { valueBits } = layout(finished.task);
    const { blinding } = unblindingOf(finished.n, layout(finished.task), watched.pools);
    const shares = watched.sharesOf(finished);
    const pooled = valueBits.map((bits, i) => BigInt.asIntN(bits, shares[i]! - blinding[i]!));
    expect(pooled).toEqual(plainSums(finished.task, parts));
  });

  test('the transcripts are whole', () => {
    const { task, n } = finished;
    const { taps, pools } = watched;
    const bodies = (tap: Wiretap, name: string) =>
      tap
        .requests()
        .filter((request) => request.name === name)
        .map(({ body }) => body.toString('base64'))
        .toSorted();
    const received = (pool: RecordingPool) =>
      pool
        .received(n)
        .map((bytes) => Buffer.from(bytes).toString('base64'))
        .toSorted();
    expect(bodies(taps.csp, `POST /tasks/${task.id}/unblinding`)).toEqual(received(pools.csp));
    expect(bodies(taps.dataUser, `PUT /tasks/${task.id}/contribution`)).toEqual(received(pools.dataUser));
    // Files were seen while they held what is gone by now.
    const [contribution] = pools.dataUser.received(n);
    expect(watched.dataUserFiles().some((file) => file.includes(contribution!.subarray(0, 256)))).toBe(true);
    expect(watched.cspFiles().some((file) => file.includes(task.id))).toBe(true);
    // The CSP's shares are among what the data user received.
    expect(watched.taps.csp.framesFromService()[0]!.length).toBeGreaterThan(layout(task).valueBits.length);
  });

  test("the CSP's would hold statistics if the data user did not blind", async () => {
    pool.fault = weaklyBlinding(proposal, -1);
    const unblinded = await watched.finish(proposal, parts);
    expect(unblinded.status.state).toBe('failed'); // the shares do not fit each other
    const found = findForms(watched.cspTranscript(unblinded), forms).map(({ name }) => name);
    expect(found).toEqual(expect.arrayContaining(['value 0, decimal', 'value 0, bytes', 'plaintext 0']));
  });
});

describe('the search for statistics', () => {
  test('finds every form between other bytes', () => {
    const noise = Buffer.from('eyJhbGciOiJFZERTQSJ9.\u0000\u0001');
    const hidden = Buffer.concat(forms.flatMap(({ bytes }) => [noise, bytes, noise]));
    expect(new Set(findForms([hidden], forms))).toEqual(new Set(forms));
    expect(new Set(forms.map(({ name }) => name.replaceAll(/\d+/g, 'i'))).size).toBeGreaterThan(10);
  });

  test('looks into base64', () => {
    const payload = Buffer.from(JSON.stringify({ sum: `${plainSums(proposal, parts)[0]}` }));
    const found = findForms([Buffer.from(`dpop: e30.${payload.toString('base64url')}.AAAA`)], forms);
    expect(found.map(({ name }) => name)).toContain('value 0, decimal');
  });
});

/** One world for all tests below, each of which has tasks of its own. */
const pool = new FaultyPool();
let recorded: RecordedWorld;
beforeAll(async () => {
  recorded = await startRecorded(OWNERS, pool);
});
afterEach(() => {
  pool.fault = undefined;
});
afterAll(() => recorded.world.close());

describe('what the CSP reads from the slots', () => {
  /** Runs tasks one after the other and returns slot values and true statistics of each. */
  async function slotsOf(task: TaskProposal, runs: readonly LabelledRows[][], fault?: FaultyPool['fault']) {
    pool.fault = fault;
    const results: { slots: readonly bigint[]; sums: readonly bigint[] }[] = [];
    for (const run of runs) {
      const { n } = await finishTask(recorded.parties, task, run);
      results.push({ ...unblindingOf(n, layout(task), recorded.pools), sums: plainSums(task, run) });
    }
    return results;
  }

  /** The least number of bits by which slot values, also less 2^(b-1), are away from the statistics, beyond b. */
  function leastDistance(
    task: TaskProposal,
    { slots, sums }: { slots: readonly bigint[]; sums: readonly bigint[] },
  ) {
    const distances = layout(task).valueBits.map((bits, i) => {
      const random = slots[i]! - (1n << BigInt(bits - 1)) - sums[i]!;
      return random.toString(2).length - bits;
    });
    return Math.min(...distances);
  }

  test('lies far from the statistics, and elsewhere for the same rows the next time', {
    tags: ['long'],
  }, async () => {
    const [first, second] = await slotsOf(proposal, [parts, parts]);
    expect(first!.sums).toEqual(second!.sums);
    // A random number of b + 40 + log2(slots) bits is shorter than this once in 2^31 tasks.
    expect(leastDistance(proposal, first!)).toBeGreaterThan(10);
    expect(leastDistance(proposal, second!)).toBeGreaterThan(10);
    first!.slots.forEach((slot, i) => {
      expect(slot).not.toBe(second!.slots[i]);
    });
  });

  test('would lie near them if the data user blinded with 10 random bits more than they have', {
    tags: ['long'],
  }, async () => {
    const [weak] = await slotsOf(proposal, [parts], weaklyBlinding(proposal, 10));
    expect(leastDistance(proposal, weak!)).toBeLessThanOrEqual(10);
  });

  const FEATURES = 16;
  const ROWS = 5;
  const wide = madeUpProposal('pca', FEATURES, [], {
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: ROWS,
    allowFullRank: true, // equal rows have no scatter that could be kept secret
  });
  const everywhere = (cell: number): LabelledRows[] =>
    Array.from({ length: OWNERS }, () => ({
      values: Array.from({ length: ROWS }, () => new Array<number>(FEATURES).fill(cell)),
      classes: Array.from({ length: ROWS }, () => []),
    }));
  /** How often a distance may be larger although nothing is wrong: of three of them one is in less than 1e-9 of runs. */
  const RARELY = 3e-10;

  /** Slot values of rows of zeros and of the largest rows there can be, as fractions of the blinding's range. */
  async function compare(fault?: FaultyPool['fault']) {
    const results = await slotsOf(wide, [everywhere(0), everywhere(1)], fault);
    const { blindingBits } = layout(wide);
    return results.map(({ slots }) => slots.map((slot, i) => Number(slot) / 2 ** blindingBits[i]!));
  }

  test('does not tell rows of zeros from the largest rows, nor from random numbers', {
    tags: ['long'],
  }, async () => {
    const [zeros, largest] = await compare();
    const { length } = zeros!;
    expect(distanceBetween(zeros!, largest!)).toBeLessThan(criticalDistance(RARELY, length, length));
    expect(distanceFromUniform(zeros!)).toBeLessThan(criticalDistance(RARELY, length));
    expect(distanceFromUniform(largest!)).toBeLessThan(criticalDistance(RARELY, length));
  });

  test('would tell them apart if the blinding had no more bits than the values', {
    tags: ['long'],
  }, async () => {
    const [zeros, largest] = await compare(weaklyBlinding(wide, 0));
    const { length } = zeros!;
    expect(distanceBetween(zeros!, largest!)).toBeGreaterThan(criticalDistance(RARELY, length, length));
    expect(distanceFromUniform(zeros!)).toBeGreaterThan(criticalDistance(RARELY, length));
  });
});

describe('ciphertexts', () => {
  const sameRows = new Array<LabelledRows>(OWNERS).fill(parts[0]!);

  /** What the randomiser r leaves in a ciphertext, (1 + m n) rⁿ mod n² = rⁿ mod n: the key holder has r from it. */
  const traces = (ciphertexts: readonly bigint[], n: bigint) => ciphertexts.map((c) => c % n);

  /** The ciphertexts of all contributions to a task over the same rows, and those that went to the CSP. */
  async function ciphertextsOfTask(task: TaskProposal) {
    const { pools, parties } = recorded;
    const { n, status } = await finishTask(parties, task, sameRows);
    expect(status.state).toBe('done');
    const read = (bytes: Uint8Array) => ciphertextsOf(bytes, task.keyBits);
    return {
      n,
      contributions: pools.dataUser.received(n).map(read),
      blinded: read(only(pools.csp.received(n))),
      blindingScheme: only(pools.dataUser.encryptions.filter((encryption) => encryption.n === n)).scheme,
    };
  }

  /** Whether the key holder sees that some of the contributions went into what it was sent. */
  function isTraceable({ n, contributions, blinded }: Awaited<ReturnType<typeof ciphertextsOfTask>>) {
    const subsets = Array.from({ length: 2 ** OWNERS }, (_, bits) =>
      contributions.filter((_contribution, owner) => (bits >> owner) & 1),
    ).filter((subset) => subset.length > 0);
    return subsets.some((subset) => {
      const expected = traces(productOf(subset, n), n);
      return traces(blinded, n).some((trace, i) => trace === expected[i]);
    });
  }

  const OTHERS = '%s: no randomiser is used twice, and what the CSP gets has others than the contributions';
  test.each(['djn'] as const)(OTHERS, hasOthers);
  test.each(['standard'] as const)(OTHERS, { tags: ['long'] }, hasOthers);
  async function hasOthers(encryption: 'standard' | 'djn'): Promise<void> {
    const seen = await ciphertextsOfTask({ ...proposal, encryption });
    const { n, contributions, blinded, blindingScheme } = seen;
    expect(blindingScheme).toBe('standard'); // randomisers of full length, whatever the owners use
    expect(contributions).toHaveLength(OWNERS);
    const all = [...contributions.flat(), ...blinded];
    expect(new Set(traces(all, n)).size).toBe(all.length);
    expect(isTraceable(seen)).toBe(false);
  }

  test('the CSP would recognise the product of the contributions if it were not rerandomised', {
    tags: ['long'],
  }, async () => {
    pool.fault = (encrypt) => async (publicKey, plaintexts, scheme) => {
      await encrypt(publicKey, plaintexts, scheme); // to be recorded
      const { n } = publicKey;
      return plaintexts.map((plaintext) => (1n + plaintext * n) as Ciphertext);
    };
    expect(isTraceable(await ciphertextsOfTask(proposal))).toBe(true);
  });
});
