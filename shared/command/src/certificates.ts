/**
 * Certificates and keys in the files that settings name. They must be PEM; otherwise the error says what the
 * file holds instead.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CodedError, fileReason } from '@eigenveil/platform';
import { COMMAND_CODES } from './codes.ts';

const KINDS = {
  certificates: {
    expected: 'certificates in PEM',
    is: /-----BEGIN CERTIFICATE-----/,
    fromDer: 'openssl x509 -inform DER -in FILE -out FILE.pem',
    fromPfx: 'openssl pkcs12 -in FILE -nokeys -out FILE.pem',
  },
  key: {
    expected: 'a private key in PEM',
    is: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
    fromDer: 'openssl pkey -inform DER -in FILE -out FILE.pem',
    fromPfx: 'openssl pkcs12 -in FILE -nocerts -nodes -out FILE.pem',
  },
} as const;

/**
 * A key with a passphrase is PEM as well, but nobody can be asked for its passphrase when a service starts.
 */
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;
const SEQUENCE = 0x30;

/**
 * Reads a PEM file that the setting `title` names, which must hold what `kind` says.
 * @throws ERR_TLS_FILE
 */
export async function readPem(title: string, path: string, kind: keyof typeof KINDS): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_TLS_FILE,
      `"${title}" expected a readable file, got ${path} (${reason})`,
      { cause },
    );
  });
  const { expected, is } = KINDS[kind];
  const text = bytes.toString('latin1'); // PEM is ASCII
  if (kind === 'key' && ENCRYPTED.test(text))
    throw new CodedError(
      COMMAND_CODES.ERR_TLS_FILE,
      `"${title}" expected a key without a passphrase, which nobody can be asked for, in ${path}: openssl pkey -in FILE -out FILE.pem`,
    );
  if (is.test(text)) return text;
  throw new CodedError(
    COMMAND_CODES.ERR_TLS_FILE,
    `"${title}" expected ${expected} in ${path}, got ${contentOf(bytes, text, kind)}`,
  );
}

/**
 * The certificates (PEM) of the file that the setting `title` names, undefined for no file. TLS itself would pass over what is none, and then
 * trust nobody.
 * @throws ERR_TLS_FILE
 * @example
 * import { readCertificates } from '@eigenveil/command';
 *
 * const ca = await readCertificates('--user-ca', 'authority.pem');
 */
export async function readCertificates(title: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readPem(title, path, 'certificates');
  for (const [pem] of text.matchAll(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g)) {
    try {
      new X509Certificate(pem);
    } catch (cause) {
      throw new CodedError(
        COMMAND_CODES.ERR_TLS_FILE,
        `"${title}" expected certificates in PEM in ${path}, got one that is damaged or cut off`,
        { cause },
      );
    }
  }
  return text;
}

/** Says what the file holds instead, and how to turn it into what was expected. */
function contentOf(bytes: Uint8Array, text: string, kind: keyof typeof KINDS): string {
  if (text.trim() === '') return 'an empty file';
  if (kind === 'key' && KINDS.certificates.is.test(text)) return 'a certificate: are both files swapped?';
  if (kind === 'certificates' && (KINDS.key.is.test(text) || ENCRYPTED.test(text)))
    return 'a private key: are both files swapped?';
  if (bytes[0] !== SEQUENCE) return 'something else';
  return isPfx(bytes)
    ? `a PFX archive (PKCS #12): ${KINDS[kind].fromPfx}`
    : `bytes in DER: ${KINDS[kind].fromDer}`;
}

/**
 * Says whether it is a PFX: a SEQUENCE that begins with the INTEGER 3 (RFC 7292, section 4); no certificate
 * or key begins with that.
 */
function isPfx(bytes: Uint8Array): boolean {
  const length = bytes[1] ?? 0;
  const start = length > 0x80 ? 2 + (length & 0x7f) : 2;
  return bytes[start] === 0x02 && bytes[start + 1] === 1 && bytes[start + 2] === 3;
}
