/**
 * Exchanges in Node.js: TLS 1.3, with certificates that the caller may name, by the proxy that the
 * environment names.
 */
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors, request } from 'undici';
import { proxyFor, proxyRefusal } from './proxy.ts';
import {
  certificateError,
  connectionReason,
  peerTimeout,
  peerUnreachable,
  type Transport,
  type TransportOptions,
} from './transport.ts';

export function openTransport({ ca, silenceMilliseconds }: TransportOptions): Transport {
  const tls = { minVersion: 'TLSv1.3', timeout: 10_000, ...(ca === undefined ? {} : { ca }) } as const;
  const times = { headersTimeout: silenceMilliseconds, bodyTimeout: silenceMilliseconds };
  const direct = new Agent({ ...times, connect: tls });
  let proxied: EnvHttpProxyAgent | undefined;
  const dispatcherFor = (url: string): Dispatcher => {
    const proxy = proxyFor(url);
    if (proxy === undefined || direct.closed || direct.destroyed) return direct;
    // The settings that it would read in the environment are given: the WebSocket between the servers needs
    // the same decision.
    proxied ??= new EnvHttpProxyAgent({
      ...{ httpsProxy: proxy.href, httpProxy: '', noProxy: '' },
      ...times,
      requestTls: tls,
    });
    return proxied;
  };
  return {
    async exchange({ method, url, headers, body, signal }) {
      const response = await request(url, {
        method,
        headers: { ...headers },
        dispatcher: dispatcherFor(url),
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
      const by = proxyFor(url) === undefined ? '' : ', by the proxy of HTTPS_PROXY';
      return (
        certificateError(url, code, cause) ??
        proxyRefusal(url, cause) ??
        peerUnreachable(url, `${connectionReason(cause)}${by}`, cause)
      );
    },
    async retire() {
      await Promise.all([direct.close(), proxied?.close()]);
    },
    async close() {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}
