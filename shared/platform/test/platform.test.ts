/** Node.js's way and the browsers' give the same bytes and refuse the same texts. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as browser from '../src/browser.ts';
import * as node from '../src/node.ts';
import type { Platform } from '../src/platform.ts';

const BOTH: readonly [string, Platform & Pick<typeof node, 'sleep' | 'utf8' | 'concatBytes'>][] = [
  ['node', node],
  ['browser', browser],
];
const bytes = fc.uint8Array({ maxLength: 300 });
const text = fc.string({ unit: 'binary', maxLength: 100 });

describe.each(BOTH)('%s', (_, platform) => {
  test('hashes and authenticates as FIPS 180-4 and RFC 4231 say', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(platform.toHex(platform.sha256('abc'))).toBe(abc);
    expect(platform.toHex(platform.sha256Hasher().update('a').update(Uint8Array.of(98, 99)).digest())).toBe(
      abc,
    );
    const mac = platform
      .hmacSha256Hasher(platform.utf8('Jefe'))
      .update('what do ya want ')
      .update('for nothing?');
    expect(platform.toHex(mac.digest())).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  test('writes bytes as RFC 4648 says', () => {
    expect(platform.toHex(Uint8Array.of(0, 10, 255))).toBe('000aff');
    expect(platform.fromHex('000AfF')).toEqual(Uint8Array.of(0, 10, 255));
    expect(platform.toBase64url(Uint8Array.of(0xfb, 0xff))).toBe('-_8');
    expect(platform.fromBase64url('-_8')).toEqual(Uint8Array.of(0xfb, 0xff));
    expect(platform.fromBase64url('')).toEqual(new Uint8Array(0));
  });

  test.each(['0', '0g', '0x', ' 00', '00 ', 'é0'])('takes no hexadecimal %j', (wrong) => {
    expect(() => platform.fromHex(wrong)).toThrow(SyntaxError);
  });

  test.each(['A', '-_9', '-_8=', '+/8', '-_8 ', ' ', '-_\n8', 'AAAAA', 'é', '\u{1f600}'])(
    'takes no base64url %j',
    (wrong) => {
      expect(() => platform.fromBase64url(wrong)).toThrow(SyntaxError);
    },
  );

  test('gives random bytes, as many as are asked for, all of them drawn', () => {
    // 2^-64 that eight of them are zero: what was not drawn is.
    for (const length of [0, 1, 32, 65_536, 65_537, 200_001]) {
      const drawn = platform.randomBytes(length);
      expect(drawn.length).toBe(length);
      for (let start = 0; start + 8 <= length; start += 8)
        if (drawn.subarray(start, start + 8).every((byte) => byte === 0)) expect.fail(`zeros at ${start}`);
    }
    expect(platform.randomBytes(32)).not.toEqual(platform.randomBytes(32));
  });

  test('gives plain bytes in memory of their own', () => {
    const given = [
      platform.sha256('x'),
      platform.sha256Hasher().digest(),
      platform.hmacSha256Hasher(Uint8Array.of(1)).digest(),
      platform.randomBytes(9),
      platform.fromHex('00'),
      platform.fromBase64url('AAAA'),
      platform.utf8('x'),
      platform.concatBytes(Uint8Array.of(1), Uint8Array.of(2)),
    ];
    for (const it of given) {
      expect(Object.getPrototypeOf(it)).toBe(Uint8Array.prototype);
      expect(it.buffer.byteLength).toBe(it.length);
    }
  });

  test('lets the turn of others come, and comes back', async () => {
    const order: string[] = [];
    setTimeout(() => order.push('timer'), 0);
    await Promise.resolve().then(() => order.push('promise'));
    while (order.length < 2) await platform.nextTurn();
    expect(order).toEqual(['promise', 'timer']);
  });

  test('sleeps until the time is over or the sleep is ended', async () => {
    vi.useFakeTimers();
    try {
      const asleep = platform.sleep(1000).then(() => 'awake');
      await vi.advanceTimersByTimeAsync(999);
      expect(await Promise.race([asleep, 'asleep'])).toBe('asleep');
      await vi.advanceTimersByTimeAsync(1);
      expect(await asleep).toBe('awake');
      const ended = new AbortController();
      const cut = platform.sleep(1000, ended.signal);
      ended.abort(new Error('enough'));
      await expect(cut).rejects.toThrow('enough');
      await expect(platform.sleep(1000, ended.signal)).rejects.toThrow('enough');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('both give the same for everything', () => {
  fc.assert(
    fc.property(bytes, bytes, text, (first, second, words) => {
      expect(browser.sha256(first)).toEqual(node.sha256(first));
      expect(browser.sha256(words)).toEqual(node.sha256(words));
      const all = (platform: Platform, hasher = platform.hmacSha256Hasher(second)) =>
        hasher.update(first).update(words).digest();
      expect(all(browser)).toEqual(all(node));
      expect(all(browser, browser.sha256Hasher())).toEqual(all(node, node.sha256Hasher()));
      expect(browser.toHex(first)).toBe(node.toHex(first));
      expect(browser.toBase64url(first)).toBe(node.toBase64url(first));
      for (const platform of [node, browser]) {
        expect(platform.fromHex(platform.toHex(first))).toEqual(first);
        expect(platform.fromBase64url(platform.toBase64url(first))).toEqual(first);
        // Also of a part of longer memory.
        const part = platform
          .concatBytes(second, first, second)
          .subarray(second.length, -second.length || undefined);
        expect(platform.toHex(part)).toBe(platform.toHex(first));
      }
    }),
  );
});

test('both take the same texts for bytes', () => {
  const outcome = (decode: () => Uint8Array) => {
    try {
      return [...decode()];
    } catch (error) {
      return (error as Error).name;
    }
  };
  const close = fc.string({ unit: fc.constantFrom(...'09afAFgG-_+/= \tAQgw'), maxLength: 9 });
  fc.assert(
    fc.property(fc.oneof(close, text), (it) => {
      expect(outcome(() => browser.fromHex(it))).toEqual(outcome(() => node.fromHex(it)));
      expect(outcome(() => browser.fromBase64url(it))).toEqual(outcome(() => node.fromBase64url(it)));
    }),
  );
});
