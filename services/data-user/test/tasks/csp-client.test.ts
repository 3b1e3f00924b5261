/** The data user's line to the CSP: whose identity it keeps. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalCertificate, type RunningServer, startServer } from '@eigenveil/server';
import {
  generatePrivateJwk,
  importSigningKey,
  type SigningKey,
  SPOKEN_VERSION,
  VERSION_HEADER,
} from '@eigenveil/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CspClient } from '../../src/tasks/csp.ts';

let folder: string;
let key: SigningKey;
let server: RunningServer;
let client: CspClient;
/** Requests for the identity that the CSP has got, and how many of the next ones it fails. */
let asked: number;
let failing: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-csp-client-'));
  key = await importSigningKey(await generatePrivateJwk());
  const tls = await createLocalCertificate();
  asked = 0;
  failing = 0;
  server = await startServer({
    ...tls,
    host: '127.0.0.1',
    port: 0,
    listener: (_request, response) => {
      asked += 1;
      failing -= 1;
      response.setHeader(VERSION_HEADER, `${SPOKEN_VERSION}`);
      response.writeHead(failing >= 0 ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: [key.publicJwk] }));
    },
  });
  client = new CspClient({
    url: server.url,
    ca: tls.cert,
    key,
    thumbprint: key.thumbprint,
    identityFile: join(folder, 'csp-identity.json'),
    patienceMilliseconds: 0,
  });
});
afterEach(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test('requests that need the identity at the same time ask for it once, and it is kept', async () => {
  const identities = await Promise.all(Array.from({ length: 20 }, () => client.identity()));
  expect(identities).toEqual(Array(20).fill(key.publicJwk));
  expect(asked).toBe(1);
  expect(JSON.parse(await readFile(join(folder, 'csp-identity.json'), 'utf8'))).toEqual(key.publicJwk);
});

test('an identity that could not be had is asked for again', async () => {
  failing = 1;
  await expect(client.identity()).rejects.toMatchObject({ code: 'ERR_PEER_PROTOCOL' });
  expect(await client.identity()).toEqual(key.publicJwk);
  expect(asked).toBe(2);
});
