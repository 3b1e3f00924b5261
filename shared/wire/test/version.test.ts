import { CodedError } from '@eigenveil/platform';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CODES, ServiceClient, SPOKEN_VERSION, toProblem, VERSION_HEADER } from '../src/index.ts';
import { type Certificate, certificateWith, type Scripted, serveScripted } from './scripted-service.ts';

let certificate: Certificate;
beforeAll(async () => {
  certificate = await certificateWith({});
});

describe('a service of another release', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const serve = async (answers: readonly Scripted[]) => {
    const { close, ...service } = await serveScripted(certificate, answers);
    closers.push(close);
    return service;
  };
  const ask = (url: string, oldestPeer?: number) => {
    const client = new ServiceClient({
      url,
      ca: certificate.cert,
      credentials: { kind: 'none' },
      ...(oldestPeer === undefined ? {} : { oldestPeer }),
    });
    closers.push(() => client.close());
    const response = z.strictObject({ ok: z.literal(true) });
    return client.send({ method: 'GET', path: '/x', response });
  };
  const spoken = (version: number) => ({ [VERSION_HEADER]: `${version}` });
  const unknown = {
    status: 404,
    type: 'application/problem+json',
    body: JSON.stringify(toProblem(new CodedError(CODES.ERR_ROUTE_UNKNOWN, 'x'))),
  };
  const refused = (theirs: number, older: string) =>
    expect.objectContaining({
      code: 'ERR_PROTOCOL_VERSION',
      message: expect.stringMatching(
        new RegExp(
          `version ${theirs} of the protocol, this program version ${SPOKEN_VERSION}: update ${older}`,
        ),
      ),
    });

  test('is met when it is old enough for what is asked, and told our version', async () => {
    const { url, requests } = await serve([{}]);
    expect(await ask(url)).toEqual({ ok: true });
    expect(requests[0]!.headers).toMatchObject(spoken(SPOKEN_VERSION));
  });

  test.each([
    ['answers without a version', {}],
    ['lacks what is asked for', unknown],
  ])('is refused when it is too old: it %s', async (_name, answer) => {
    const { url } = await serve([answer]);
    await expect(ask(url, 1)).rejects.toEqual(refused(0, 'https://'));
  });

  test('is refused when it is newer and its answer is not understood', async () => {
    const { url } = await serve([{ body: '{"ok":2}', headers: spoken(SPOKEN_VERSION + 1) }]);
    await expect(ask(url)).rejects.toEqual(refused(SPOKEN_VERSION + 1, 'this program'));
  });

  test('is met when it is newer and its answer is understood', async () => {
    const { url } = await serve([{ headers: spoken(SPOKEN_VERSION + 1) }]);
    expect(await ask(url, 1)).toEqual({ ok: true });
  });

  test('keeps its own refusals, and what says no version is no service', async () => {
    const problem = { ...unknown, body: unknown.body.replaceAll('ERR_ROUTE_UNKNOWN', 'ERR_TASK_UNKNOWN') };
    const { url } = await serve([problem, { headers: { [VERSION_HEADER]: 'x' } }]);
    await expect(ask(url, 1)).rejects.toMatchObject({ code: 'ERR_TASK_UNKNOWN' });
    await expect(ask(url)).rejects.toMatchObject({ code: 'ERR_PEER_PROTOCOL' });
  });
});
