import { expect, test } from 'vitest';
import { ownerPage } from '../../src/owner/hosted-page.ts';

const CSP = 'https://csp.example.org:8443';

// Before the bundle is looked at, so it need not be there.
test.each([
  ['is a wildcard', 'https://*.example.org'],
  ['ends the directive', 'https://a;script-src'],
  ['ends the source', "https://a'unsafe-inline'"],
  ['begins another source', 'https://a,b.example'],
  ['ends the attribute', 'https://a".example'],
  ['has a reference to a character', 'https://a&#59;.example'],
  ['is reached without TLS', 'http://user.example.org'],
  ['is none', 'user.example.org'],
])('no page is written for a service whose host %s', async (_, service) => {
  const refused = { code: 'ERR_CONFIGURATION', message: expect.stringMatching(/hosts/) as string };
  await expect(ownerPage([CSP, service])).rejects.toMatchObject(refused);
  await expect(ownerPage([service, CSP])).rejects.toMatchObject(refused);
});
