/** Says what a start of the data user would find, and whether its CSP answers. */
import { readCertificates } from '@eigenveil/command';
import { selfTest } from '@eigenveil/paillier';
import {
  checkService,
  compareClocks,
  Doubt,
  type Finding,
  Findings,
  lookAtPeer,
  timesOf,
  validityOf,
} from '@eigenveil/server';
import {
  certificateError,
  connectionReason,
  cspIdentityError,
  JwkSet,
  parseJson,
  ServiceClient,
  serviceTitle,
  thumbprintOf,
} from '@eigenveil/wire';
import { DATA_USER_BACKUP } from './backup.ts';
import type { DataUserConfiguration } from './cli/settings.ts';
import { inspectDataUserDatabase } from './store/open.ts';

export async function checkDataUser(config: DataUserConfiguration): Promise<readonly Finding[]> {
  const findings = new Findings();
  const { databaseUrl, cspUrl, cspCa } = config;
  await findings.look('OpenSSL', () => {
    selfTest({ allowBigintFallback: config.allowBigintFallback });
    return 'computes with secret keys in constant time, or need not';
  });
  await checkService(findings, config, databaseUrl === undefined ? DATA_USER_BACKUP : undefined);
  if (databaseUrl !== undefined)
    await findings.look('database', async () => {
      const { version, latest } = await inspectDataUserDatabase(databaseUrl);
      return `PostgreSQL, schema version ${version}${version < latest ? `, which a start brings to ${latest}` : ''}`;
    });
  let ca: string | undefined;
  const isTrusted = await findings.look('certificates for the CSP', async () => {
    ca = await readCertificates('--csp-ca', cspCa);
    return ca === undefined ? "the system's" : String(cspCa);
  });
  if (!isTrusted) return findings.all;
  let time: Date | undefined;
  const isReached = await findings.look('CSP', async () => {
    const { certificate, text, ...answer } = await reach(cspUrl, ca);
    ({ time } = answer);
    const set = JwkSet.safeParse(parseJson(text));
    const thumbprints = await Promise.all((set.data?.keys ?? []).map(thumbprintOf));
    if (!thumbprints.includes(config.cspThumbprint))
      throw cspIdentityError(
        cspUrl,
        `the pinned thumbprint ${config.cspThumbprint}, got ${thumbprints.join(', ') || 'none'},`,
        await titleAt(cspUrl, ca),
      );
    const { expires } = timesOf(certificate);
    const validity = validityOf(timesOf(certificate));
    if (validity !== 'valid')
      throw new Doubt(`its certificate ${validity}: valid until ${expires.toISOString()}`);
    return `${cspUrl} has the pinned identity; its certificate is valid until ${expires.toISOString()}`;
  });
  if (isReached || time !== undefined) await findings.look("CSP's clock", () => compareClocks(time));
  return findings.all;
}

/**
 * Looks at the CSP. A CSP that is down, or whose certificate is refused, keeps no data user from starting:
 * the cause may be removed meanwhile.
 */
async function reach(url: string, ca: string | undefined) {
  try {
    return await lookAtPeer(url, '/.well-known/jwks.json', ca);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new Doubt(
      certificateError(url, code, error)?.message ?? `${url} cannot be reached (${connectionReason(error)})`,
    );
  }
}

async function titleAt(url: string, ca: string | undefined): Promise<string | undefined> {
  const client = new ServiceClient({ url, ca, credentials: { kind: 'none' }, timeoutMilliseconds: 5000 });
  return serviceTitle(client).finally(() => client.close());
}
