/** The TLS server: what it accepts, how long it waits, and how it stops. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { readCertificates } from '@eigenveil/command';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createLocalCertificate, readTlsFiles, serve, startServer } from '../../src/index.ts';
import { identity, send, startService, type TestService } from '../harness.ts';
import { temporaryDirectory } from '../temporary.ts';

/** A service whose one route answers when it is told to. */
async function startWaiting(graceMilliseconds: number) {
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const wait = {
    method: 'get',
    path: '/wait',
    summary: 'Waits',
    auth: 'none',
    response: { status: 200, description: 'Done', schema: z.literal('done') },
    problems: [],
  } as const;
  const routes = serve(
    { wait },
    {},
    {
      async wait() {
        arrived();
        await released;
        return 'done' as const;
      },
    },
  );
  const service = await startService({ routes, graceMilliseconds });
  return { service, arrival, release };
}

function openSocket(service: TestService) {
  return connect({ host: '127.0.0.1', port: Number(new URL(service.url).port), ca: identity.cert });
}

describe('the protocol', () => {
  test('is TLS 1.3 and nothing older', async () => {
    const service = await startService();
    await expect(send(`${service.url}/healthz`, { maxVersion: 'TLSv1.2' })).rejects.toThrow(
      /alert protocol version/,
    );
    const socket = openSocket(service);
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.3');
    socket.destroy();
    await service.close();
  });

  test('needs the certificate that the client trusts', async () => {
    const service = await startService();
    const { cert } = await createLocalCertificate();
    await expect(send(`${service.url}/healthz`, { ca: cert })).rejects.toThrow(
      /self-signed|unable to verify/,
    );
    await service.close();
  });

  test('cuts off requests that come too slowly', async () => {
    const service = await startService();
    expect(service.server.headersTimeout).toBe(10_000);
    expect(service.server.requestTimeout).toBe(120_000);
    service.server.headersTimeout = 50;
    service.server.requestTimeout = 100;
    const requests = [
      'GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: ',
      'PUT /tasks/abcd HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{',
    ];
    for (const answer of requests.map(async (text) => {
      const socket = openSocket(service);
      socket.write(text);
      const [chunk] = await once(socket, 'data');
      socket.destroy();
      return String(chunk);
    })) {
      expect(await answer).toMatch(/^HTTP\/1.1 408 /);
      expect(await answer).toContain('"code":"ERR_REQUEST_TIMEOUT"');
    }
    await service.close();
  });
});

describe('closing', () => {
  test('lets a request in flight finish, refuses new ones and then ends at once', async () => {
    const { service, arrival, release } = await startWaiting(300_000);
    service.server.keepAliveTimeout = 300_000;
    const agent = new Agent({ keepAlive: true, ca: identity.cert });
    const answer = send(`${service.url}/wait`, { agent });
    await arrival;
    const closed = service.close();
    expect(service.close()).toBe(closed);
    await expect(send(`${service.url}/healthz`)).rejects.toThrow(/ECONNREFUSED/);
    release();
    expect((await answer).json()).toBe('done');
    await closed; // with the keep-alive connection still open at the client
    agent.destroy();
  }, 10_000);

  test('waits for upgraded connections until they end', async () => {
    let upgraded: Duplex | undefined;
    const service = await startService({
      graceMilliseconds: 300_000,
      onUpgrade: (_request, socket) => {
        upgraded = socket;
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      },
    });
    const peer = openSocket(service);
    peer.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    await once(peer, 'data');
    const silent = openSocket(service);
    await once(silent, 'secureConnect');
    const closing = service.close();
    await once(
      silent.on('error', () => {}),
      'close',
    );
    expect(service.connections()).toBe(1);
    expect(peer.closed).toBe(false);
    upgraded!.end('bye');
    await once(peer, 'data');
    peer.end();
    await closing;
  });

  test('cuts what is left after the grace time', async () => {
    const { service, arrival, release } = await startWaiting(50);
    const answer = send(`${service.url}/wait`);
    const failure = expect(answer).rejects.toThrow(/hang up|ECONNRESET/);
    await arrival;
    await service.close();
    await failure;
    release();
  });

  test('does not wait for silent, half-open or upgraded connections', async () => {
    const service = await startService({
      graceMilliseconds: 50,
      onUpgrade: (_request, socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    });
    const silent = openSocket(service);
    await once(silent, 'secureConnect');
    const halfOpen = connectTcp(Number(new URL(service.url).port), '127.0.0.1');
    await once(halfOpen, 'connect');
    const upgraded = openSocket(service);
    upgraded.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    await once(upgraded, 'data');
    const ends = [silent, halfOpen, upgraded].map(async (socket) => {
      socket.on('error', () => {});
      await once(socket, 'close');
    });
    await service.close();
    await Promise.all(ends);
    expect(service.server.listening).toBe(false);
  });
});

describe('starting', () => {
  test('tells addresses that are taken', async () => {
    const service = await startService();
    const port = Number(new URL(service.url).port);
    const again = startServer({ ...identity, listener: () => {}, host: '127.0.0.1', port });
    await expect(again).rejects.toMatchObject({ code: 'ERR_LISTEN', message: /EADDRINUSE/ });
    await service.close();
  });

  test('tells certificates that do not fit their key', async () => {
    const { key } = await createLocalCertificate();
    const start = (cert: string) =>
      startServer({ cert, key, listener: () => {}, host: '127.0.0.1', port: 0 });
    await expect(start(identity.cert)).rejects.toMatchObject({ code: 'ERR_TLS_FILE' });
    await expect(start('no PEM')).rejects.toMatchObject({ code: 'ERR_TLS_FILE' });
  });

  test('reads certificate and key from files', async () => {
    const directory = await temporaryDirectory();
    await writeFile(`${directory}/cert.pem`, identity.cert);
    await writeFile(`${directory}/key.pem`, identity.key);
    expect(await readTlsFiles(`${directory}/cert.pem`, `${directory}/key.pem`)).toStrictEqual(identity);
    await expect(readTlsFiles(`${directory}/none.pem`, `${directory}/key.pem`)).rejects.toMatchObject({
      code: 'ERR_TLS_FILE',
      message: /no such file or directory/,
    });
  });

  test('tells what a file holds in the place of a certificate or a key', async () => {
    const directory = await temporaryDirectory();
    const { cert, key } = identity;
    const der = (pem: string) => Buffer.from(pem.replaceAll(/-----.*-----/g, ''), 'base64');
    const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
    const contents = {
      cert,
      key,
      empty: '\n',
      'cert-der': der(cert),
      'key-der': der(key),
      locked: createPrivateKey(key).export(locked),
      pfx: Buffer.from('308209f40201033082', 'hex'), // how every PFX begins: a SEQUENCE with version 3
      cut: `${cert}${cert.slice(0, cert.length / 2)}`,
      text: 'no PEM',
      'other-key': (await createLocalCertificate()).key,
    };
    const at = (name: string) => join(directory, name);
    for (const [name, content] of Object.entries(contents)) await writeFile(at(name), content);
    for (const [certFile, keyFile, words] of [
      ['cert', 'empty', /"--tls-key" expected a private key in PEM in .*, got an empty file$/],
      ['empty', 'key', /"--tls-certificate" expected certificates in PEM in .*, got an empty file$/],
      ['key', 'cert', /got a (certificate|private key): are both files swapped\?$/],
      ['cert', 'cert', /"--tls-key" .*got a certificate: are both files swapped\?$/],
      ['cert-der', 'key', /got bytes in DER: openssl x509 /],
      ['cert', 'key-der', /got bytes in DER: openssl pkey /],
      ['pfx', 'key', /got a PFX archive .*: openssl pkcs12 .* -nokeys/],
      ['cert', 'pfx', /got a PFX archive .*: openssl pkcs12 .* -nocerts/],
      ['cert', 'locked', /expected a key without a passphrase/],
      ['cut', 'key', /^certificate and key expected a matching pair in PEM$/],
      ['text', 'key', /got something else$/],
      ['cert', 'other-key', /^certificate and key expected a matching pair in PEM$/],
    ] as const)
      await expect(readTlsFiles(at(certFile), at(keyFile)), `${certFile}, ${keyFile}`).rejects.toMatchObject({
        code: 'ERR_TLS_FILE',
        message: expect.stringMatching(words),
      });
    expect(await readCertificates('--ca', at('cert'))).toBe(cert);
    expect(await readCertificates('--ca', undefined)).toBeUndefined();
    for (const [file, words] of [
      ['empty', /^"--ca" expected certificates in PEM in .*, got an empty file$/],
      ['key', /got a private key/],
      ['cut', /got one that is damaged or cut off$/],
    ] as const)
      await expect(readCertificates('--ca', at(file))).rejects.toMatchObject({
        code: 'ERR_TLS_FILE',
        message: expect.stringMatching(words),
      });
  });

  test('names an IPv6 address as URLs do', async () => {
    const server = await startServer({
      ...identity,
      listener: (_, response) => response.end('here'),
      host: '::1',
      port: 0,
    });
    expect(server.url).toMatch(/^https:\/\/\[::1\]:\d+$/);
    expect((await send(server.url)).bytes.toString()).toBe('here');
    await server.close();
  });
});

test('a local certificate is for loopback, for a week, and no authority', async () => {
  const certificate = new X509Certificate(identity.cert);
  expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  expect(certificate.ca).toBe(false);
  expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6);
  expect(days).toBeLessThanOrEqual(7);
});
