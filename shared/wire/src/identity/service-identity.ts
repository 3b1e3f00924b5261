/**
 * Checks that the service at an address is the one that was meant, by its pinned identity key and by its name
 * for itself.
 */
import { CodedError } from '@eigenveil/platform';
import type { Thumbprint } from '@eigenveil/task/ids';
import { z } from 'zod';
import { CODES } from '../codes.ts';
import { COMMON_ROUTES, IDENTITY_ROUTES } from '../routes/common.ts';
import { clientOf } from '../routes/table.ts';
import type { ServiceClient } from '../transport/client.ts';
import { type PublicJwk, thumbprintOf } from './signatures.ts';

/** The names that services give themselves, in their OpenAPI documents and where they have no such route. */
export const SERVICE_TITLES = {
  csp: 'Eigenveil CSP',
  dataUser: 'Eigenveil data user',
  authenticator: 'Eigenveil authenticator',
} as const;

const Titled = z.looseObject({ info: z.looseObject({ title: z.enum(Object.values(SERVICE_TITLES)) }) });

/**
 * The identity key of the CSP that the client asks.
 * @throws ERR_CSP_IDENTITY for one without the pinned thumbprint
 */
export async function pinnedCspKey(client: ServiceClient, thumbprint: Thumbprint): Promise<PublicJwk> {
  const { keys } = await clientOf(IDENTITY_ROUTES, client).identity();
  for (const key of keys) if ((await thumbprintOf(key)) === thumbprint) return key;
  throw cspIdentityError(client.url, `the pinned thumbprint ${thumbprint}`, await serviceTitle(client));
}

/** @param title what the service calls itself, if it is one of ours */
export function cspIdentityError(url: string, expected: string, title: string | undefined): CodedError {
  const told = title === undefined || title === SERVICE_TITLES.csp ? '' : `: that address is an ${title}'s`;
  return new CodedError(
    CODES.ERR_CSP_IDENTITY,
    `"csp" expected an identity key with ${expected} at ${url}${told}`,
  );
}

/** Returns the name that the service gives itself, if it is one of ours and says so. */
export async function serviceTitle(client: ServiceClient): Promise<string | undefined> {
  const document = await clientOf(COMMON_ROUTES, client)
    .document()
    .catch(() => undefined);
  return Titled.safeParse(document).data?.info.title;
}
