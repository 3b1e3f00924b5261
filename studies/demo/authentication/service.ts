/** The authenticator of the demo, as a process that knows one projection and one relying application, and that application. */
import { join } from 'node:path';
import type { ScoreKind, TrustSettings } from '@eigenveil/authentication';
import type { ServiceAddress } from '@eigenveil/authenticator/device';
import { RelyingClient, RelyingHome } from '@eigenveil/authenticator/relying';
import type { Children } from '@eigenveil/testbed/processes/children';
import type { Digest } from '@eigenveil/wire';
import { type Services, startService } from '../services.ts';

/** All devices of the demo have one address, and send in seconds what takes them hours. */
const UNLIMITED = '1000000';

interface AuthenticatorSetting {
  readonly folder: string;
  readonly certificate: Pick<Services, 'caFile' | 'keyFile'>;
  readonly ca: string;
  readonly projection: {
    readonly digest: Digest;
    readonly components: number;
    readonly score: ScoreKind;
    readonly trust: TrustSettings;
  };
  /** The fewest windows that a device enrols with. */
  readonly enrolmentWindows: number;
}

export async function startAuthenticator(
  children: Children,
  { folder, certificate, ca, projection, enrolmentWindows }: AuthenticatorSetting,
): Promise<{ readonly service: ServiceAddress; readonly application: RelyingClient }> {
  const key = await new RelyingHome(join(folder, 'relying-application')).signingKey();
  const { digest, components, score, trust } = projection;
  const { url } = await startService(children, 'authenticator', certificate, [
    ...['--data-directory', join(folder, 'authenticator')],
    ...['--relying-applications', JSON.stringify([key.thumbprint])],
    '--projections',
    JSON.stringify([{ digest, components, score, engine: { kind: 'trust', ...trust } }]),
    ...['--enrolment-windows', String(enrolmentWindows)],
    ...['--requests-per-minute', UNLIMITED],
  ]);
  const service = { url, ca };
  return { service, application: new RelyingClient({ service, key }) };
}
