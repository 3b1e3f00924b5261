/** Waits for the device's connection, so that nothing begins without one. */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire/errors';

/**
 * Resolves once the browser says that the device has a connection, and tells `onRetry` where it has none yet.
 * @throws the signal's reason
 */
export async function online({
  onRetry,
  signal,
}: {
  readonly onRetry: (error: CodedError) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  signal.throwIfAborted();
  if (navigator.onLine) return;
  onRetry(new CodedError(CODES.ERR_PEER_UNREACHABLE, 'this device has no connection'));
  await new Promise<void>((resolve, reject) => {
    addEventListener('online', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
