/** Exchanges in Node.js: TLS 1.3, with certificates that the caller may name. */
import { Agent, errors, request } from 'undici';
import { certificateError, connectionReason } from './certificates.ts';
import { peerTimeout, peerUnreachable, type Transport, type TransportOptions } from './transport.ts';

export function openTransport({ ca, silenceMilliseconds }: TransportOptions): Transport {
  const agent = new Agent({
    connect: { minVersion: 'TLSv1.3', timeout: 10_000, ...(ca === undefined ? {} : { ca }) },
    headersTimeout: silenceMilliseconds,
    bodyTimeout: silenceMilliseconds,
  });
  return {
    async exchange({ method, url, headers, body, signal }) {
      const response = await request(url, {
        method,
        headers: { ...headers },
        dispatcher: agent,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      return {
        status: response.statusCode,
        header: (name) => response.headers[name]?.toString(),
        body: response.body,
      };
    },
    failure(url, cause) {
      const isSilence =
        cause instanceof errors.HeadersTimeoutError || cause instanceof errors.BodyTimeoutError;
      if (isSilence) return peerTimeout(url, cause);
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      return certificateError(url, code, cause) ?? peerUnreachable(url, connectionReason(cause), cause);
    },
    retire: () => agent.close(),
    close: () => agent.destroy(),
  };
}
