/**
 * Logs name who asked as the operator wants it, and nobody by more than that.
 *
 * @claims S-581
 */
import { stat } from 'node:fs/promises';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { afterEach, expect, test } from 'vitest';
import { logKeyFile } from '../../src/http/peer-names.ts';
import { PeerNames, serve } from '../../src/index.ts';
import { send, startService, type TestService } from '../harness.ts';
import { temporaryDirectory } from '../temporary.ts';

let service: TestService | undefined;
afterEach(() => service?.close());

const owner = {
  challenge: 'DPoP',
  description: 'An owner.',
  known: (id: string) => ({ kind: 'owner', id }) as const,
  async authenticate({ headers }: { headers: Record<string, unknown> }) {
    if (headers['x-owner'] === 'ada') return 'ada';
    throw new CodedError(CODES.ERR_AUTH_REQUIRED, 'expected an owner');
  },
} as const;

/** What the log calls a stranger who says it is behind a proxy, and an owner. */
async function named(peers: PeerNames): Promise<unknown[]> {
  const who = {
    method: 'get',
    path: '/who',
    summary: 'Who',
    auth: 'owner',
    response: { status: 204, description: 'Nothing' },
    problems: [],
  } as const;
  service = await startService({
    routes: serve({ who }, { owner }, { who: () => {} }),
    peers,
    level: 'info',
  });
  const forged = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
  await send(`${service.url}/who`, { headers: { ...forged, 'x-owner': 'eve' } });
  await send(`${service.url}/who`, { headers: { ...forged, 'x-owner': 'ada' } });
  await expect.poll(() => service!.logLines.length).toBe(2);
  const lines = service.logLines.splice(0);
  expect(lines.join()).not.toContain('203.0.113.7');
  await service.close();
  return lines.map((line) => (JSON.parse(line) as { peer?: unknown }).peer);
}

test('by address or id, never by both', async () => {
  const peers = await PeerNames.open('address', await temporaryDirectory());
  expect(await named(peers)).toEqual([{ address: '127.0.0.1' }, { owner: 'ada' }]);
});

test('by a keyed hash, the same after a restart and another elsewhere', async () => {
  const directory = await temporaryDirectory();
  const hash = expect.stringMatching(/^[\w-]{16}$/);
  const names = await named(await PeerNames.open('hash', directory));
  expect(names).toEqual([{ address: hash }, { owner: hash }]);
  expect((await stat(logKeyFile(directory))).mode & 0o777).toBe(0o600);
  expect(await named(await PeerNames.open('hash', directory))).toEqual(names);
  expect(await named(await PeerNames.open('hash', await temporaryDirectory()))).not.toEqual(names);
});

test('of IPv6 by the network that is counted for limits, and an owner otherwise than an address', async () => {
  const peers = await PeerNames.open('hash', await temporaryDirectory());
  expect(peers.name('2001:db8:1:2::1')).toEqual(peers.name('2001:db8:1:3::2'));
  expect(peers.name('2001:db8:1:200::1')).not.toEqual(peers.name('2001:db8:1:3::2'));
  const { address } = peers.name('192.0.2.1')!;
  expect(peers.name(undefined, { kind: 'owner', id: '192.0.2.1' })).not.toEqual({ owner: address });
});

test('not at all, and then no key is made', async () => {
  const directory = await temporaryDirectory();
  expect(await named(await PeerNames.open('none', directory))).toEqual([undefined, undefined]);
  await expect(stat(logKeyFile(directory))).rejects.toMatchObject({ code: 'ENOENT' });
});
