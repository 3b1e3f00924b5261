/** One look at another service over HTTPS, for its certificate and its clock. Only a path is sent. */
import type { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { proxyAgentFor } from '@eigenveil/wire/proxy';

const MILLISECONDS = 5000;
const LARGEST_BYTES = 65_536;

interface PeerLook {
  readonly certificate: X509Certificate;
  /** The time of the peer's clock, to the second; undefined when it does not tell. */
  readonly time: Date | undefined;
  readonly status: number;
  readonly text: string;
}

/**
 * Asks for `path` of the service at `url`, trusting the certificates `ca` (PEM), or the system's where `ca`
 * is undefined.
 * @throws Error with the `code` of Node.js, also for a certificate that is not accepted
 */
export function lookAtPeer(
  url: string,
  path: string,
  ca: string | undefined,
  stopping?: AbortSignal,
): Promise<PeerLook> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerLook>();
  const signals = [AbortSignal.timeout(MILLISECONDS), ...(stopping === undefined ? [] : [stopping])];
  const signal = AbortSignal.any(signals);
  const trust = ca === undefined ? {} : { ca };
  const outgoing = request(new URL(path, url), {
    ...trust,
    minVersion: 'TLSv1.3',
    agent: proxyAgentFor(url) ?? false,
    signal,
  });
  outgoing.on('error', reject).on('response', (response) => {
    const certificate = (response.socket as TLSSocket).getPeerX509Certificate();
    const time = new Date(response.headers.date ?? '');
    let text = '';
    response.setEncoding('utf8').on('error', reject);
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > LARGEST_BYTES) response.destroy(new Error('the answer expected to be shorter'));
    });
    response.on('end', () => {
      if (certificate === undefined) reject(new Error('the peer expected to show a certificate'));
      else
        resolve({
          certificate,
          time: Number.isNaN(time.getTime()) ? undefined : time,
          status: response.statusCode ?? 0,
          text,
        });
    });
  });
  outgoing.end();
  return promise;
}
