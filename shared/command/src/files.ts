/**
 * Reads the files and makes the folders that a command line names, certificates and keys in PEM among them. The user
 * has to correct what is wrong with them, so an error says what the file holds instead.
 */

import { X509Certificate } from 'node:crypto';
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CodedError, fileReason } from '@eigenveil/platform';
import { explainIssues } from '@eigenveil/wire/explain';
import { z } from 'zod';
import { COMMAND_CODES } from './codes.ts';
import { jsonOf, textIn, withSuggestions } from './json.ts';

/**
 * Returns the text of the file that the setting `title` names.
 * @throws ERR_CONFIGURATION
 */
export async function readTextFile(title: string, path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${title}" expected a readable file, got ${path} (${reason})`,
      { cause },
    );
  }
  return textIn(bytes, `"${title}" expected text in ${path}`);
}

/**
 * A JSON file, checked by a schema.
 * @throws ERR_CONFIGURATION
 * @example
 * import { readJsonFile } from '@eigenveil/command';
 * import { TaskProposal } from '@eigenveil/task';
 *
 * const proposal = await readJsonFile('--proposal', 'task.json', TaskProposal);
 */
export async function readJsonFile<Schema extends z.ZodType>(
  title: string,
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  return checkConfiguration(schema, jsonOf(title, path, await readTextFile(title, path)), path);
}

/**
 * Reads a file of "eigenveil-owner project --evidence". It is easily confused with the file that has the
 * vectors, so this is checked before single members are.
 * @throws ERR_CONFIGURATION, and ERR_EVIDENCE_UNSIGNED for such a file
 */
export async function readSignedFile<Schema extends z.ZodType>(
  flag: string,
  file: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const content = await readJsonFile(flag, file, z.unknown());
  if (typeof content !== 'object' || content === null || !('agreement' in content))
    throw new CodedError(
      COMMAND_CODES.ERR_EVIDENCE_UNSIGNED,
      `"${flag}" expected a file that "project --evidence" has written, got ${file}; files of "project --save" and "task result --out" do not hold the task, so that nothing can be checked`,
    );
  return checkConfiguration(schema, content, file);
}

/**
 * Checks, before work that ends with this file, that it is not a folder and that its own folder can be
 * written to.
 * @throws ERR_CONFIGURATION
 */
export async function checkCanWrite(flag: string, file: string): Promise<void> {
  if (await isFolder(resolve(file)))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${flag}" expected a file, got the folder ${file}`,
    );
  await access(dirname(resolve(file)), constants.W_OK).catch((cause: unknown) => {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${flag}" expected a file in a folder that exists and can be written to, got ${file}`,
      { cause },
    );
  });
}

/**
 * Checks a value that the user is responsible for by a schema.
 * @throws ERR_CONFIGURATION
 */
export function checkConfiguration<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  title: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) {
    const problem = explainIssues(withSuggestions(result.error, schema), 'value');
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `"${title}": ${problem}`);
  }
  return result.data;
}

/**
 * Makes a folder that nobody else may enter, with those above it, unless it exists. It does not use mkdir's
 * `recursive`, which never ends where the system says that an existing folder is missing, as /proc does.
 * @throws ERR_CONFIGURATION
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeWithParents(resolve(path));
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${path}" expected a folder that is there or can be made (${reason})`,
      {
        cause,
      },
    );
  }
}

async function makeWithParents(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) throw error;
    // Another process may have made it meanwhile.
    if (!(await isFolder(parent))) await makeWithParents(parent);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

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
