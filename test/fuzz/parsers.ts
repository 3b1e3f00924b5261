/** The parsers that take bytes, text or JSON from somebody else: ciphertexts, keys, statements, tasks, files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { addSettings, readJsonFile } from '@eigenveil/command';
import { OwnerPolicy } from '@eigenveil/data-owner';
import { draftTask } from '@eigenveil/data-user';
import {
  decodeBigint,
  decodeCiphertexts,
  encodeBigint,
  encodeCiphertexts,
  PaillierPool,
  PublicKey,
  SecretKey,
} from '@eigenveil/paillier';
import { programOf } from '@eigenveil/projection';
import { SERVICE_SETTINGS, Sealer } from '@eigenveil/server';
import { layout, readFileBytes, readRows } from '@eigenveil/statistics';
import { MessageStream, memoryChannelPair, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  AGREEMENT,
  checkTask,
  claimedSigner,
  createProof,
  Digest,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  issueOwnerToken,
  newTaskId,
  OwnerId,
  PROJECTION,
  RECEIPT,
  RECORD,
  type Statement,
  signStatement,
  Task,
  TaskProposal,
  verifyOwnerToken,
  verifyProof,
  verifyStatement,
} from '@eigenveil/wire';
import { Command } from 'commander';
import fc from 'fast-check';
import type { z } from 'zod';
import { madeUpProposal } from '../support/tasks.ts';
import { mutatedBytes, mutatedJson, mutatedText } from './mutate.ts';
import {
  asBase64,
  asJson,
  expectRefusal,
  expectServiceCode,
  Fault,
  type Target,
  target,
  within,
} from './target.ts';

/** Runs a parser: it may refuse, in our words. Returns what it took, or undefined. */
function attempt<Result>(parse: () => Result, refusal = expectRefusal): Result | undefined {
  try {
    return parse();
  } catch (error) {
    refusal(error);
    return undefined;
  }
}

async function attemptAsync<Result>(
  parse: () => Promise<Result>,
  refusal: (error: unknown) => void = expectRefusal,
) {
  try {
    return await parse();
  } catch (error) {
    refusal(error);
    return undefined;
  }
}

const LONGEST_MILLISECONDS = 20_000;

export async function paillierTargets(): Promise<Target[]> {
  const pool = new PaillierPool({ threads: 0 });
  const options = { bits: 1024, allowInsecureKey: true } as const;
  const secretKey = await pool.generateKeyPair({ ...options, scheme: 'djn' });
  const { publicKey } = secretKey;
  const ciphertexts = encodeCiphertexts(
    publicKey,
    await pool.encrypt(publicKey, [0n, 1n, publicKey.n - 1n], 'djn'),
  );
  const { ciphertextBytes, n, nSquared } = publicKey;
  const edges = [0n, 1n, n, n + 1n, secretKey.p, nSquared - 1n, nSquared].map((c) =>
    Buffer.from(c.toString(16).padStart(2 * ciphertextBytes, '0'), 'hex'),
  );
  const fixed = fc
    .array(fc.oneof(fc.constantFrom(...edges), mutatedBytes([ciphertexts.subarray(0, ciphertextBytes)], 2)), {
      maxLength: 4,
    })
    .map((parts) => new Uint8Array(Buffer.concat(parts)));
  const keyOf = (json: unknown) => PublicKey.fromJSON(json, { allowInsecureKey: true });
  return [
    target({
      name: 'ciphertexts',
      weight: 10,
      inputs: fc.oneof(mutatedBytes([ciphertexts]), fixed),
      describe: asBase64,
      check(bytes) {
        const read = attempt(() => decodeCiphertexts(publicKey, bytes, 3), expectServiceCode);
        if (read !== undefined && Buffer.compare(encodeCiphertexts(publicKey, read), bytes) !== 0)
          throw new Fault('other ciphertexts than the bytes say');
      },
    }),
    target({
      name: 'integers',
      weight: 6,
      inputs: mutatedText([encodeBigint(0n), encodeBigint(255n), encodeBigint(n)]),
      describe: asJson,
      check(text) {
        const value = attempt(() => decodeBigint(text));
        if (value !== undefined && encodeBigint(value) !== text) throw new Fault('an integer with two texts');
      },
    }),
    target({
      name: 'public keys',
      weight: 1,
      inputs: mutatedJson([publicKey.toJSON()], 2),
      describe: asJson,
      check: (json) => void attempt(() => keyOf(json)),
    }),
    target({
      name: 'secret keys',
      weight: 1,
      inputs: mutatedJson([secretKey.toJSON()], 2),
      describe: asJson,
      check: (json) => void attempt(() => SecretKey.fromJSON(json, { allowInsecureKey: true })),
    }),
  ];
}

export async function statementTargets(): Promise<Target[]> {
  const key = await importSigningKey(await generatePrivateJwk());
  const task: Task = {
    ...madeUpProposal('pca', 2),
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: key.thumbprint,
    dataUser: key.thumbprint,
  };
  const digest = Digest.parse('A'.repeat(43));
  const ownerId = OwnerId.parse('A'.repeat(22));
  const about = {
    taskId: task.id,
    taskDigest: digestTask(task),
    publicKeyDigest: digest,
    ownerId,
    contributionDigest: digest,
  };
  const publicKey = { n: 'A'.repeat(171) };
  const projection = {
    ...{
      taskId: task.id,
      taskDigest: digest,
      method: task.method,
      twoParty: task.twoParty,
      features: task.features,
    },
    ...{ fractionBits: task.fractionBits, outputs: task.outputs, vectors: [[1, 0]], eigenvalues: [1] },
  };
  const statement = async <Schema extends z.ZodType>(
    name: string,
    kind: Statement<Schema>,
    payload: z.input<Schema>,
  ): Promise<Target> => {
    const genuine = await signStatement(kind, key, payload);
    return target({
      name,
      weight: 2,
      inputs: jwsLike(genuine),
      describe: asJson,
      async check(jws) {
        attempt(() => claimedSigner(kind, jws), expectServiceCode);
        const read = await attemptAsync(() => verifyStatement(kind, jws, key.publicJwk), expectServiceCode);
        // Base64 has several texts for one signature, but nothing that is signed may differ.
        if (read !== undefined && signedPart(jws) !== signedPart(genuine))
          throw new Fault('a forged statement');
      },
    });
  };
  const request = { method: 'GET', url: 'https://127.0.0.1/tasks' };
  const proof = await createProof(key, request);
  const token = await issueOwnerToken(key, { ownerId, thumbprint: key.thumbprint, lifetimeSeconds: 86_400 });
  const now = new Date();
  return [
    await statement('records', RECORD, about),
    await statement('receipts', RECEIPT, { ...about, receivedAt: now.toISOString() }),
    await statement('agreements', AGREEMENT, {
      taskId: task.id,
      taskDigest: digest,
      publicKey,
      dataUserKey: key.publicJwk,
    }),
    await statement('projections', PROJECTION, projection),
    target({
      name: 'request proofs',
      weight: 2,
      inputs: jwsLike(proof),
      describe: asJson,
      async check(jws) {
        const read = await attemptAsync(() => verifyProof(jws, request, now), expectServiceCode);
        if (read !== undefined && signedPart(jws) !== signedPart(proof)) throw new Fault('a forged proof');
      },
    }),
    target({
      name: 'owner tokens',
      weight: 2,
      inputs: jwsLike(token),
      describe: asJson,
      async check(jws) {
        const read = await attemptAsync(() => verifyOwnerToken(jws, key.publicJwk, now), expectServiceCode);
        if (read !== undefined && signedPart(jws) !== signedPart(token)) throw new Fault('a forged token');
      },
    }),
  ];
}

const signedPart = (jws: string) => jws.slice(0, jws.lastIndexOf('.'));

/** A JWS with edits in its text, or in the JSON of its header and payload. */
function jwsLike(genuine: string): fc.Arbitrary<string> {
  const [header, payload, signature] = genuine.split('.');
  const decoded = [header, payload].map(
    (part) => JSON.parse(Buffer.from(part!, 'base64url').toString()) as unknown,
  );
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const rebuilt = fc
    .tuple(mutatedJson([decoded[0]], 2), mutatedJson([decoded[1]], 2))
    .map((parts) => [...parts.map(encode), signature].join('.'));
  return fc.oneof(mutatedText([genuine]), rebuilt);
}

export function taskTargets(): Target[] {
  const proposals = [
    madeUpProposal('pca', 3),
    madeUpProposal('pca', 4, [], {
      twoParty: 'rotated',
      outputs: ['spectrum', 'sampleCount'],
      components: 2,
    }),
    madeUpProposal('dca', 3, [2], { twoParty: 'garbled' }),
    madeUpProposal('lda', 3, [3], { twoParty: 'garbled', encryption: 'djn' }),
    madeUpProposal('mdr', 3, [2, 2]),
  ];
  return [
    target({
      name: 'task proposals',
      weight: 8,
      inputs: mutatedJson(proposals, 6),
      describe: asJson,
      check(json) {
        const proposal = TaskProposal.safeParse(json);
        if (!proposal.success) return;
        attempt(() => {
          const key = 'A'.repeat(43);
          const task = Task.parse({
            ...proposal.data,
            protocol: 'eigenveil/1',
            id: newTaskId(),
            csp: key,
            dataUser: key,
          });
          digestTask(task);
          checkTask(task);
          layout(task);
          TWO_PARTY_PROTOCOLS[task.twoParty].check({ task, program: programOf(task) });
        }, expectServiceCode);
      },
    }),
  ];
}

export async function fileTargets(): Promise<Target[]> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-fuzz-'));
  const csvTask = madeUpProposal('lda', 2, [2]);
  const csv = ['f0,f1,label0\n0.5,-1,0\n1e-3,+0.25,1\n', '\ufefff1,f0,label0\r\n"1","-.5","1"\r\n\r\n0,0,0'];
  const file = (name: string) => join(folder, name);
  const setting = {
    dataDirectory: '/x',
    port: 1,
    requestsPerMinute: 10,
    allowBigintFallback: false,
    logLevel: 'info',
  };
  const policy = OwnerPolicy.parse({ maximumComponents: 3 });
  const sealer = new Sealer(new Uint8Array(32));
  const sealed = sealer.seal('a/b', Buffer.from('secret'));
  return [
    target({
      name: 'CSV rows',
      weight: 8,
      inputs: fc.tuple(
        mutatedBytes(
          csv.map((text) => Buffer.from(text)),
          6,
        ),
        fc.integer({ min: 1, max: 64 }),
      ),
      describe: ([bytes, chunk]) => `${asBase64(bytes)} in chunks of ${chunk}`,
      async check([bytes, chunk]) {
        async function* source() {
          for (let i = 0; i < bytes.length; i += chunk) yield bytes.subarray(i, i + chunk);
        }
        await attemptAsync(async () => {
          for await (const { values, classes } of readRows(source(), csvTask)) {
            if (!values.every(Number.isFinite) || values.length !== 2) throw new Fault('a row of no numbers');
            if (!classes.every((k) => k === 0 || k === 1)) throw new Fault('a class of no label');
          }
        });
      },
    }),
    target({
      name: 'CSV files',
      weight: 1,
      inputs: fc.oneof(
        mutatedBytes(
          csv.map((text) => Buffer.from(text)),
          6,
        ).map((bytes) => ['rows.csv', bytes] as const),
        mutatedBytes([gzipSync(csv[0]!)]).map((bytes) => ['rows.csv.gz', bytes] as const),
      ),
      describe: ([name, bytes]) => `${name}: ${asBase64(bytes)}`,
      async check([name, bytes]) {
        await writeFile(file(name), bytes);
        await within(
          LONGEST_MILLISECONDS,
          attemptAsync(() => draftTask(file(name), { method: 'lda', labels: ['label0'], ignore: [] })),
        );
        await attemptAsync(async () => {
          for await (const _ of readRows(readFileBytes(file(name)), csvTask));
        });
      },
    }),
    target({
      name: 'configuration files',
      weight: 2,
      inputs: fc.oneof(
        mutatedJson([setting], 4).map((json) => Buffer.from(JSON.stringify(json))),
        mutatedBytes([Buffer.from(JSON.stringify(setting))]),
      ),
      describe: asBase64,
      async check(bytes) {
        await writeFile(file('settings.json'), bytes);
        const command = new Command('fuzz').exitOverride();
        const configuration = addSettings(command, 'EIGENVEIL_FUZZ', SERVICE_SETTINGS);
        command.action(() => void attempt(configuration));
        await command.parseAsync(['node', 'fuzz', '--config', file('settings.json')]);
      },
    }),
    target({
      name: 'policy files',
      weight: 2,
      inputs: fc.oneof(
        mutatedJson([policy], 4).map((json) => Buffer.from(JSON.stringify(json))),
        mutatedBytes([Buffer.from(JSON.stringify(policy))]),
      ),
      describe: asBase64,
      async check(bytes) {
        await writeFile(file('policy.json'), bytes);
        await attemptAsync(() => readJsonFile('--policy', file('policy.json'), OwnerPolicy));
      },
      close: () => rm(folder, { recursive: true, force: true }),
    }),
    target({
      name: 'sealed values',
      weight: 4,
      inputs: mutatedBytes([sealed]),
      describe: asBase64,
      check(bytes) {
        const opened = attempt(() => sealer.open('a/b', bytes));
        if (opened !== undefined && Buffer.compare(bytes, sealed) !== 0)
          throw new Fault('a forged sealed value');
      },
    }),
    target({
      name: 'messages of a stream',
      weight: 4,
      inputs: fc.array(mutatedBytes([streamExample()], 3), { maxLength: 4 }),
      describe: (frames) => `[${frames.map(asBase64).join(', ')}]`,
      async check(frames) {
        const [near, far] = memoryChannelPair();
        for (const frame of frames) await far.send(frame);
        const closed = far.close();
        const stream = new MessageStream(near);
        await within(
          LONGEST_MILLISECONDS,
          attemptAsync(async () => {
            for (const [type, length] of STREAM) await stream.read(type, length);
          }, expectServiceCode),
        );
        await near.close();
        await closed;
      },
    }),
  ];
}

/** Types and lengths of the messages that the stream's reader expects. */
const STREAM = [
  [1, 3],
  [2, 0],
  [1, 40],
  [7, 5],
] as const;

function streamExample(): Uint8Array {
  return Buffer.concat(
    STREAM.map(([type, length]) => {
      const message = Buffer.alloc(8 + length, type);
      message.writeUInt32LE(type, 0);
      message.writeUInt32LE(length, 4);
      return message;
    }),
  );
}
