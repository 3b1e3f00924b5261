/** Exchanges in browsers. Which certificates and which version of TLS they take is theirs to say; the services take TLS 1.3 alone. */
import { peerTimeout, peerUnreachable, type Transport, type TransportOptions } from './transport.ts';

class Silence extends Error {}

/** @throws TypeError for certificates of the caller's, which no page can name */
export function openTransport({ ca, silenceMilliseconds }: TransportOptions): Transport {
  if (ca !== undefined)
    throw new TypeError('"ca" expected nothing: a browser trusts the certificates that it was set up with');
  const closed = new AbortController();
  return {
    async exchange({ method, url, headers, body, signal }) {
      const response = await fetch(url, {
        method,
        headers,
        body: (body as Uint8Array<ArrayBuffer> | undefined) ?? null,
        signal: AbortSignal.any([signal, closed.signal]),
        mode: 'cors',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        redirect: 'manual', // what comes then has no status that stands for success
      });
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        body: pieces(response.body, silenceMilliseconds),
      };
    },
    failure: (url, cause) =>
      cause instanceof Silence
        ? peerTimeout(url, cause)
        : // A page is not told more: not that a certificate was refused, nor that the service does not know the page's origin.
          peerUnreachable(url, 'no connection, or none that the browser allows this page', cause),
    async retire() {},
    async close() {
      closed.abort();
    },
  };
}

/** Safari's streams cannot be iterated over. */
async function* pieces(stream: ReadableStream<Uint8Array> | null, silenceMilliseconds: number) {
  if (stream === null) return;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { promise: silence, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Silence()), silenceMilliseconds);
      try {
        const { done, value } = await Promise.race([reader.read(), silence]);
        if (done) return;
        yield value;
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    await reader.cancel().catch(() => {}); // it may be broken already
  }
}
