/**
 * Whose attempts at a secret are limited, and for how long.
 *
 * @claims S-503
 */
import { Socket } from 'node:net';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { expect, test, vi } from 'vitest';
import { Attempts } from '../../src/index.ts';

const from = (address: string) => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  return { socket };
};
const wrong = () => {
  throw new CodedError(CODES.ERR_AUTH_REQUIRED, 'wrong');
};
const right = () => 'in';
const code = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'in',
    (error: CodedError) => error.code,
  );

function at() {
  let now = 1000;
  const attempts = new Attempts(() => now);
  return { attempts, pass: (milliseconds: number) => (now += milliseconds) };
}

test('an address has ten failures, then is refused without a look, and has another after six seconds', async () => {
  const { attempts, pass } = at();
  for (let i = 0; i < 10; i += 1) {
    expect(await code(attempts.make(from('192.0.2.1'), wrong))).toBe('ERR_AUTH_REQUIRED');
    pass(60);
  }
  const look = vi.fn(right);
  const refusal = await attempts.make(from('192.0.2.1'), look).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'ERR_RATE_LIMITED', status: 429 });
  expect((refusal as CodedError).parameters.retryAfterSeconds).toBeCloseTo(5.4, 5);
  expect(look).not.toHaveBeenCalled();
  expect(await code(attempts.make(from('192.0.2.2'), right))).toBe('in');
  pass(5400);
  expect(await code(attempts.make(from('192.0.2.1'), right))).toBe('in');
});

test('who comes with the right secret takes no place, however often', async () => {
  const { attempts } = at();
  for (let i = 0; i < 100; i += 1) expect(await code(attempts.make(from('192.0.2.1'), right))).toBe('in');
});

test('many attempts at once take as many places', async () => {
  const { attempts } = at();
  const slow = async () => wrong();
  const codes = await Promise.all(
    Array.from({ length: 15 }, () => code(attempts.make(from('192.0.2.1'), slow))),
  );
  expect(codes.filter((it) => it === 'ERR_RATE_LIMITED')).toHaveLength(5);
});

test('the addresses of an IPv6 network are one', async () => {
  const { attempts, pass } = at();
  for (let i = 0; i < 10; i += 1) {
    await code(attempts.make(from(`2001:db8::${i}`), wrong));
    pass(60);
  }
  expect(await code(attempts.make(from('2001:db8::ffff'), right))).toBe('ERR_RATE_LIMITED');
});

test('many addresses share twenty failures a second, and whoever signed in before does not wait for them', async () => {
  const { attempts, pass } = at();
  expect(await code(attempts.make(from('192.0.2.1'), right))).toBe('in');
  const codes: string[] = [];
  for (let i = 0; i < 100; i += 1) codes.push(await code(attempts.make(from(`198.51.100.${i}`), wrong)));
  expect(codes.filter((it) => it === 'ERR_AUTH_REQUIRED')).toHaveLength(20);
  expect(await code(attempts.make(from('192.0.2.2'), right))).toBe('ERR_RATE_LIMITED');
  expect(await code(attempts.make(from('192.0.2.1'), right))).toBe('in');
  pass(50);
  expect(await code(attempts.make(from('192.0.2.2'), right))).toBe('in');
});
