/** How the commands of devices and relying applications are told where the service is, and how long to try. */
import { readCertificates } from '@eigenveil/command';
import type { ServiceAddress } from '@eigenveil/wire';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';

export const PATIENCE = {
  patienceSeconds: {
    schema: z.int().min(0).max(86_400),
    description: 'how long to go on trying while the service is down',
    default: 30,
    placeholder: 'NUMBER',
  },
} as const;

export const SERVICE_ADDRESS = {
  serviceUrl: { schema: ServiceUrl, description: 'address of the authenticator, https', placeholder: 'URL' },
  serviceCa: {
    schema: z.string().optional(),
    description: "certificates to trust instead of the system's, PEM",
    placeholder: 'FILE',
  },
} as const;

/** @throws ERR_TLS_FILE */
export async function addressOf(settings: {
  readonly serviceUrl: string;
  readonly serviceCa?: string | undefined;
}): Promise<ServiceAddress> {
  const { serviceUrl: url, serviceCa } = settings;
  return { url, ca: await readCertificates('--service-ca', serviceCa) };
}
