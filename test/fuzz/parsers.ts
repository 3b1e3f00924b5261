/** The parsers of what peers send: ciphertexts, keys, statements, tasks. */
import { isDeepStrictEqual } from 'node:util';
import { DecisionEvent, EVENT } from '@eigenveil/authenticator/messages';
import { receiveEvent } from '@eigenveil/authenticator/relying';
import { signedResult } from '@eigenveil/made-up/signed-result';
import {
  decodeBigint,
  decodeCiphertexts,
  encodeBigint,
  encodeCiphertexts,
  PaillierPool,
  PublicKey,
  SecretKey,
} from '@eigenveil/paillier';
import { openProjection, SignedProjection } from '@eigenveil/projection';
import { newTaskId, Task, TaskProposal } from '@eigenveil/task';
import { checkComputable } from '@eigenveil/two-party/plan';
import {
  AGREEMENT,
  claimedSigner,
  createProof,
  Digest,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  issueOwnerToken,
  OwnerId,
  PROJECTION,
  RECEIPT,
  RECORD,
  type Statement,
  signStatement,
  verifyOwnerToken,
  verifyProof,
  verifyStatement,
} from '@eigenveil/wire';
import { ownerLink, readableMembers, readOwnerLink } from '@eigenveil/wire/owner-link';
import fc from 'fast-check';
import type { z } from 'zod';
import { madeUpHistogram, madeUpProposal } from '../support/tasks.ts';
import { mutatedBytes, mutatedJson, mutatedText } from './mutate.ts';
import {
  asBase64,
  asJson,
  attempt,
  attemptAsync,
  expectServiceCode,
  Fault,
  type Target,
  target,
} from './target.ts';

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

const PRIVACY = {
  ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1.5 },
  dataIndependentRanges: true,
};

export async function statementTargets(): Promise<Target[]> {
  const key = await importSigningKey(await generatePrivateJwk());
  const task: Task = {
    ...madeUpProposal('pca', 2, [], { differentialPrivacy: PRIVACY }),
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
    differentialPrivacy: task.differentialPrivacy,
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
  const numbers = { vectors: [[1, 0]], eigenvalues: [1] };
  const result = await signedResult(key, key, task, numbers);
  const request = { method: 'GET', url: 'https://127.0.0.1/tasks' };
  const proof = await createProof(key, request);
  const token = await issueOwnerToken(key, { ownerId, thumbprint: key.thumbprint, lifetimeSeconds: 86_400 });
  const now = new Date();
  const decision = DecisionEvent.parse({
    sequence: 2,
    userId: 'alice',
    decision: 'lock',
    reason: 'behaviour',
    time: now.toISOString(),
  });
  const event = await signStatement(EVENT, key, decision);
  const page = 'https://owner.example.org/';
  const services = { csp: 'https://csp.example.org', dataUser: 'https://user.example.org:8444' };
  const { thumbprint } = key;
  const link = ownerLink(page, { ...services, thumbprint, task: task.id, token: 'A'.repeat(43) });
  return [
    await statement('records', RECORD, about),
    target({
      name: 'projection files',
      weight: 2,
      inputs: mutatedJson([result], 4),
      describe: asJson,
      async check(json) {
        const signed = SignedProjection.safeParse(json);
        if (!signed.success) return;
        const opened = await attemptAsync(
          () => openProjection(signed.data, key.thumbprint),
          expectServiceCode,
        );
        if (opened === undefined) return;
        const isGenuine =
          isDeepStrictEqual(opened.projection.vectors, numbers.vectors) &&
          isDeepStrictEqual(opened.task, task);
        if (!isGenuine) throw new Fault('a projection that nobody has signed');
      },
    }),
    await statement('receipts', RECEIPT, { ...about, receivedAt: now.toISOString() }),
    await statement('agreements', AGREEMENT, {
      taskId: task.id,
      taskDigest: digest,
      publicKey,
      dataUserKey: key.publicJwk,
    }),
    await statement('projections', PROJECTION, projection),
    target({
      name: 'owner links',
      weight: 2,
      inputs: mutatedText([link.slice(page.length)]),
      describe: asJson,
      check(text) {
        const read = attempt(() => readOwnerLink(text), expectServiceCode);
        const readable = readableMembers(text); // which refuses nothing
        if (read === undefined) return;
        if (Object.keys(readable).length >= Object.keys(read).length) throw new Fault('a member too many');
        const made = new URL(ownerLink(page, read)).hash;
        if (!isDeepStrictEqual(readOwnerLink(made), read)) throw new Fault('a link that says two things');
      },
    }),
    target({
      name: 'webhook requests',
      weight: 2,
      inputs: fc.oneof(
        mutatedText([JSON.stringify({ event })]),
        jwsLike(event).map((jws) => JSON.stringify({ event: jws })),
      ),
      describe: asJson,
      async check(body) {
        const headers = { 'content-type': 'application/json' };
        const read = await attemptAsync(
          () => receiveEvent({ body, headers }, key.thumbprint, 0),
          expectServiceCode,
        );
        if (read !== undefined && !isDeepStrictEqual(read, { event: decision, order: 'gap' }))
          throw new Fault('an event that nobody has signed');
      },
    }),
    target({
      name: 'request proofs',
      weight: 2,
      inputs: jwsLike(proof),
      describe: asJson,
      async check(jws) {
        const read = await attemptAsync(() => verifyProof(jws, request, { now }), expectServiceCode);
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
    madeUpProposal('pca', 3, [], { title: 'Größe und Gewicht', differentialPrivacy: PRIVACY }),
    madeUpProposal('pca', 3, [], {
      differentialPrivacy: { ...PRIVACY, neighbours: 'replace', noise: 'owners', honestOwners: 1 },
    }),
    madeUpProposal('lda', 3, [2], { twoParty: 'garbled', differentialPrivacy: PRIVACY }),
    madeUpHistogram(),
    madeUpProposal('pca', 3, [], {
      rangesFrom: 'A'.repeat(43),
      differentialPrivacy: { ...PRIVACY, dataIndependentRanges: 'rangesFrom' },
    }),
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
          checkComputable(task);
        }, expectServiceCode);
      },
    }),
  ];
}
