/** Finds the problems that a start of the CSP would meet. */
import { selfTest } from '@eigenveil/paillier';
import { checkService, Doubt, type Finding, Findings } from '@eigenveil/server';
import { CSP_BACKUP } from './backup.ts';
import type { CspConfiguration } from './cli/settings.ts';

export async function checkCsp(config: CspConfiguration): Promise<readonly Finding[]> {
  const findings = new Findings();
  await findings.look('OpenSSL', () => {
    selfTest({ allowBigintFallback: config.allowBigintFallback });
    return 'computes with secret keys in constant time, or need not';
  });
  await checkService(findings, config, CSP_BACKUP);
  await findings.look('data users', () => {
    if (config.dataUsers.length === 0) throw new Doubt('none is named: nobody may propose a task');
    return `${config.dataUsers.length} may propose tasks`;
  });
  return findings.all;
}
