/**
 * The owners' page as an organisation hosts it: the built bundle, with a Content-Security-Policy that names
 * the services that it may reach.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND_CODES } from '@eigenveil/command';
import { readCopies, SUFFIXES } from '@eigenveil/command/compressed';
import { readSummed, SUMS, sha256, sumsOf } from '@eigenveil/command/sums';
import { CodedError, fileReason } from '@eigenveil/platform';

const FOLDER = fileURLToPath(new URL('../../page/', import.meta.url));
const INDEX = 'index.html';
/** The directive of the built page, which reaches no service. */
const ITSELF_ALONE = "connect-src 'self';";
/**
 * An origin that has no wildcard and no character that ends a directive or an attribute. Names in other
 * scripts come in their ASCII form.
 */
const ORIGIN = /^https:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/**
 * Writes the page, its SHA256SUMS and the compressed copies of its files into a folder that is empty or not
 * there. Returns the names of its files, and the digest of the sums, which do not have the copies: these need
 * not be the same bytes everywhere.
 * @throws ERR_CONFIGURATION for a folder that cannot be used, and as `ownerPage`
 */
export async function writeOwnerPage(
  out: string,
  services: readonly string[],
): Promise<{ readonly files: readonly string[]; readonly digest: string }> {
  const files = await ownerPage(services);
  const sums = sumsOf(files);
  const all = new Map([...files, [SUMS, Buffer.from(sums)] as const]);
  for (const [name, bytes] of files)
    for (const [encoding, copy] of await readCopies(FOLDER, name, bytes).catch(notWhole))
      all.set(name + SUFFIXES[encoding], copy);
  await writeTo(out, all);
  return { files: [...all.keys()], digest: sha256(sums) };
}

/**
 * Returns all files by name, in a fixed order: index.html follows from the bundle and `services`, the others
 * are the bundle's own.
 * @param services addresses of the CSP and of data users, https
 * @throws ERR_CONFIGURATION when the bundle is not there or not whole, or a Content-Security-Policy cannot
 *   name a service
 */
export async function ownerPage(services: readonly string[]): Promise<Map<string, Buffer>> {
  const origins = [...new Set(services.map(originOf))].sort();
  const files = await readSummed(FOLDER).catch(notWhole);
  const html = files.get(INDEX)?.toString('utf8') ?? '';
  if (html.split(ITSELF_ALONE).length !== 2)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `the page expected "${ITSELF_ALONE}" once in ${INDEX}: build it again`,
    );
  const reached = ["connect-src 'self'", ...origins].join(' ');
  return files.set(INDEX, Buffer.from(html.replace(ITSELF_ALONE, `${reached};`)));
}

function notWhole(cause: unknown): never {
  throw new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    'the page is not there, or not whole: npm run prepare builds it in a checkout',
    { cause },
  );
}

function originOf(service: string): string {
  const origin = URL.parse(service)?.origin ?? '';
  if (!ORIGIN.test(origin))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"services" expected https addresses whose hosts have letters, digits, "." and "-"',
    );
  return origin;
}

/**
 * A web server has to read them, so the folder and the files are readable for all, as far as the user's umask
 * allows.
 */
async function writeTo(out: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  try {
    await mkdir(out).catch(async (error: unknown) => {
      if ((await readdir(out)).length > 0) throw error;
    });
    for (const [name, bytes] of files) await writeFile(join(out, name), bytes, { flag: 'wx' });
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--out" expected an empty folder, or a new one in a folder that can be written to, got ${out} (${reason})`,
      { cause },
    );
  }
}
