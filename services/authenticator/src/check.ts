/**
 * Finds the problems that a start of the authenticator would meet, and checks that its webhook's certificate
 * is accepted.
 */
import { readCertificates } from '@eigenveil/command';
import { checkService, Doubt, type Finding, Findings, lookAtPeer } from '@eigenveil/server';
import { connectionReason } from '@eigenveil/wire';
import { AUTHENTICATOR_BACKUP } from './backup.ts';
import type { AuthenticatorConfiguration } from './cli/settings.ts';
import { referencesOf } from './service/references.ts';

export async function checkAuthenticator(config: AuthenticatorConfiguration): Promise<readonly Finding[]> {
  const findings = new Findings();
  await findings.look('projections', () => `${referencesOf(config.projections).size} in use`);
  await checkService(findings, config, AUTHENTICATOR_BACKUP);
  let ca: string | undefined;
  const isTrusted = await findings.look('certificates for the webhook', async () => {
    ca = await readCertificates('webhookCa', config.webhookCa);
    return ca === undefined ? "the system's" : String(config.webhookCa);
  });
  const { webhookUrl } = config;
  if (webhookUrl === undefined || !isTrusted) return findings.all;
  await findings.look('webhook', async () => {
    const { origin } = new URL(webhookUrl);
    // The request does not go to the webhook's path, where it might be taken for an event.
    await lookAtPeer(origin, '/', ca).catch((error: unknown) => {
      throw new Doubt(`${origin} cannot be reached (${connectionReason(error)})`);
    });
    return `${origin} answers`;
  });
  return findings.all;
}
