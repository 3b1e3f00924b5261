/** Nothing begins without a connection, and whoever gives up meanwhile has begun nothing. */
import { afterEach, expect, test, vi } from 'vitest';
import { online } from '../../src/owner/online.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('waits for a connection, and ends with its signal', async () => {
  const browser = new EventTarget();
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
  vi.stubGlobal('navigator', { onLine: true });
  const onRetry = vi.fn();
  const { signal } = new AbortController();
  await online({ onRetry, signal });
  expect(onRetry).not.toHaveBeenCalled();

  vi.stubGlobal('navigator', { onLine: false });
  const waiting = online({ onRetry, signal });
  expect(onRetry).toHaveBeenCalledWith(expect.objectContaining({ code: 'ERR_PEER_UNREACHABLE' }));
  browser.dispatchEvent(new Event('online'));
  await waiting;

  const control = new AbortController();
  const given = online({ onRetry, signal: control.signal });
  control.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  await expect(online({ onRetry, signal: control.signal })).rejects.toThrow('given up');
});
