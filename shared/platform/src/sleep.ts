/** A pause that can be ended. */

/**
 * Resolves after this number of milliseconds.
 * @throws the signal's reason as soon as it is aborted
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
