/** Which connections go by a proxy. */
import { afterEach, expect, test, vi } from 'vitest';
import { proxyFor } from '../../src/transport/proxy.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

function withEnvironment(proxy: string | undefined, exceptions?: string): void {
  vi.stubEnv('https_proxy', undefined);
  vi.stubEnv('no_proxy', undefined);
  vi.stubEnv('HTTPS_PROXY', proxy);
  vi.stubEnv('NO_PROXY', exceptions);
}

const SERVICE = 'https://user.example.org:8444';

test.each([
  'https://localhost:8443',
  'https://csp.localhost:8443',
  'https://localhost.:8443',
  'https://127.0.0.1:8443',
  'https://127.8.9.1',
  'https://[::1]:8443',
  'https://[::ffff:127.0.0.1]:8443',
  'wss://127.0.0.1:8443/tasks',
])('%s is this machine, and never reached by one', (address) => {
  withEnvironment('http://proxy.example.org:3128');
  expect(proxyFor(address)).toBeUndefined();
});

test.each([SERVICE, 'wss://user.example.org:8444/tasks', 'https://10.0.0.1', 'https://[2001:db8::1]:8443'])(
  '%s is reached by one, if there is one',
  (address) => {
    withEnvironment('http://me:word@proxy.example.org:3128');
    expect(proxyFor(address)?.href).toBe('http://me:word@proxy.example.org:3128/');
    withEnvironment('proxy.example.org:3128');
    expect(proxyFor(address)?.href).toBe('http://proxy.example.org:3128/');
    for (const none of ['', undefined]) {
      withEnvironment(none);
      expect(proxyFor(address)).toBeUndefined();
    }
  },
);

test('names in small letters go before those in capital ones, as elsewhere', () => {
  withEnvironment('http://first.example.org', 'user.example.org');
  vi.stubEnv('https_proxy', 'http://second.example.org');
  vi.stubEnv('no_proxy', '');
  expect(proxyFor(SERVICE)?.hostname).toBe('second.example.org');
});

test.each([
  ['user.example.org', true],
  ['USER.example.org', true],
  ['user.example.org:8444', true],
  ['user.example.org:443', false],
  ['example.org', true],
  ['.example.org', true],
  ['*.example.org', true],
  ['ample.org', false],
  ['csp.example.org, user.example.org', true],
  ['csp.example.org user.example.org', true],
  ['*', true],
  ['', false],
  ['user.example.com', false],
])('NO_PROXY=%s', (exceptions, isExcepted) => {
  withEnvironment('http://proxy.example.org', exceptions);
  expect(proxyFor(SERVICE) === undefined).toBe(isExcepted);
});

test.each(['10.0.0.1', '10.0.0.1:443', '2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443'])(
  'NO_PROXY=%s, of addresses',
  (exceptions) => {
    withEnvironment('http://proxy.example.org', exceptions);
    const address = exceptions.startsWith('10.') ? 'https://10.0.0.1' : 'https://[2001:db8::1]';
    expect(proxyFor(address)).toBeUndefined();
    expect(proxyFor(SERVICE)).toBeDefined();
  },
);

test.each(['socks5://me:word@proxy.example.org', 'http://', 'http://me:w%rd@proxy.example.org'])(
  'an address of a proxy that cannot be one is refused and not repeated: %s',
  (proxy) => {
    withEnvironment(proxy);
    expect(() => proxyFor(SERVICE)).toThrow(
      expect.objectContaining({
        code: 'ERR_PROXY',
        message: '"HTTPS_PROXY" expected the address of a proxy, http or https',
      }),
    );
  },
);
