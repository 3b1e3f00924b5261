/**
 * What a relying application takes from a webhook: events of the pinned service alone, each in its order.
 *
 * @claims S-210
 */
import { generatePrivateJwk, importSigningKey, type SigningKey, signStatement } from '@eigenveil/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { EVENT, UserId } from '../src/messages.ts';
import { receiveEvent } from '../src/relying.ts';

const HEADERS = { 'content-type': 'application/json' };
const event = {
  sequence: 7,
  userId: UserId.parse('alice'),
  decision: 'lock',
  reason: 'behaviour',
  time: '2026-01-01T00:00:00.000Z',
} as const;
let service: SigningKey;
let stranger: SigningKey;
let body: string;
const bodyOf = (jws: string) => JSON.stringify({ event: jws });
beforeAll(async () => {
  [service, stranger] = [
    await importSigningKey(await generatePrivateJwk()),
    await importSigningKey(await generatePrivateJwk()),
  ];
  body = bodyOf(await signStatement(EVENT, service, event));
});

describe("a webhook's request", () => {
  test.each([
    [6, 'next'],
    [5, 'gap'],
    [0, 'gap'],
    [7, 'repeated'],
    [8, 'repeated'],
  ] as const)('behind event %d is %s', async (after, order) => {
    const received = await receiveEvent({ body, headers: HEADERS }, service.thumbprint, after);
    expect(received).toEqual({ event, order });
  });

  test('comes as text or bytes, with or without a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const bytes = Buffer.from(body);
    const received = await receiveEvent({ body: bytes, headers }, service.thumbprint, 6);
    expect(received.event).toEqual(event);
  });

  test('of another service is refused, whichever key it names', async () => {
    const forged = await signStatement(EVENT, stranger, event);
    const [, payload, signature] = forged.split('.');
    const [header] = (JSON.parse(body) as { event: string }).event.split('.');
    for (const jws of [forged, [header, payload, signature].join('.')]) {
      const received = receiveEvent({ body: bodyOf(jws), headers: HEADERS }, service.thumbprint, 6);
      await expect(received).rejects.toMatchObject({ code: 'ERR_EVENT_INVALID' });
    }
  });

  test('that is another statement of the service is refused', async () => {
    const other = { ...EVENT, type: 'eigenveil-receipt+jws' };
    const jws = await signStatement(other, service, event);
    const received = receiveEvent({ body: bodyOf(jws), headers: HEADERS }, service.thumbprint, 6);
    await expect(received).rejects.toMatchObject({ code: 'ERR_EVENT_INVALID' });
  });

  test.each([
    ['{}', 'ERR_BODY_MALFORMED'],
    ['{"event": 7}', 'ERR_BODY_MALFORMED'],
    ['no JSON', 'ERR_BODY_MALFORMED'],
    ['{"event": "no.signed.event"}', 'ERR_EVENT_INVALID'],
  ])('%s is refused', async (text, code) => {
    const received = receiveEvent({ body: text, headers: HEADERS }, service.thumbprint, 0);
    await expect(received).rejects.toMatchObject({ code });
  });

  test.each([{}, { 'content-type': 'text/plain' }])('with headers %j is refused', async (headers) => {
    const received = receiveEvent({ body, headers }, service.thumbprint, 0);
    await expect(received).rejects.toMatchObject({ code: 'ERR_CONTENT_TYPE' });
  });
});
