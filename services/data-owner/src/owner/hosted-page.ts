/** The owners' page as an organisation hosts it: the built bundle, and in its Content-Security-Policy the services that it may reach. */
import { fileURLToPath } from 'node:url';
import { COMMAND_CODES } from '@eigenveil/command';
import { readSummed } from '@eigenveil/command/sums';
import { CodedError } from '@eigenveil/platform';

const FOLDER = fileURLToPath(new URL('../../page/', import.meta.url));
const INDEX = 'index.html';
/** Of the built page, which reaches no service. */
const ITSELF_ALONE = "connect-src 'self';";
/** An origin with nothing in it that ends a directive or an attribute, and no wildcard. Names of other letters come in their ASCII form. */
const ORIGIN = /^https:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/**
 * All files by name, in one order: index.html follows from the bundle and `services`, the others are the bundle's own.
 * @param services addresses of the CSP and of data users, https
 * @throws ERR_CONFIGURATION when the bundle is not there or not whole, or a Content-Security-Policy cannot name a service
 */
export async function ownerPage(services: readonly string[]): Promise<Map<string, Buffer>> {
  const origins = [...new Set(services.map(originOf))].sort();
  const files = await readSummed(FOLDER).catch((cause: unknown) => {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      'the page is not there, or not whole: npm run prepare builds it in a checkout',
      { cause },
    );
  });
  const html = files.get(INDEX)?.toString('utf8') ?? '';
  if (html.split(ITSELF_ALONE).length !== 2)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `the page expected "${ITSELF_ALONE}" once in ${INDEX}: build it again`,
    );
  const reached = ["connect-src 'self'", ...origins].join(' ');
  return files.set(INDEX, Buffer.from(html.replace(ITSELF_ALONE, `${reached};`)));
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
