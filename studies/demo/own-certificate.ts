/** The way in which a browser comes to trust the certificate of services that no authority has signed, and no other. */
import { createHash, X509Certificate } from 'node:crypto';

/** The digest of the certificate's key, as Chromium takes it with --ignore-certificate-errors-spki-list. */
export function keyPin(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64');
}

/** Returns the fingerprint of a certificate as browsers show it. */
export function fingerprintOf(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256;
}
