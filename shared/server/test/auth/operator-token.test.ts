/**
 * How the operator's token is compared: a time that told how far a guess agrees would give it away bit by
 * bit.
 *
 * @claims S-82
 */
import crypto, { randomBytes } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { AdminToken, adminAuthenticator } from '../../src/index.ts';

const compare = vi.spyOn(crypto, 'timingSafeEqual');
syncBuiltinESMExports(); // for those who import it by its name
afterAll(() => {
  compare.mockRestore();
  syncBuiltinESMExports();
});
const TOKEN = randomBytes(32).toString('base64url');

function requestWith(token: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers.authorization = `Bearer ${token}`;
  return request;
}

test.each([
  ['the token', TOKEN, true],
  ['a guess that is wrong at its end', `${TOKEN.slice(0, -1)}.`, false],
  ['a shorter guess', 'short', false],
])('%s is compared by a digest of constant length, in constant time', (_, presented, isRight) => {
  compare.mockClear();
  const authenticate = () => adminAuthenticator(new AdminToken(TOKEN)).authenticate(requestWith(presented));
  if (isRight) expect(authenticate()).toBe('admin');
  else expect(authenticate).toThrow(expect.objectContaining({ code: 'ERR_AUTH_REQUIRED' }));
  expect(compare).toHaveBeenCalledOnce();
  expect(compare.mock.calls[0]!.map(({ byteLength }) => byteLength)).toEqual([32, 32]);
});
