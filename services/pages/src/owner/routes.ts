/** The places of the owner's page, and the link that somebody came by. */

import { type OwnerLink, readableMembers, readOwnerLink } from '@eigenveil/wire/owner-link';
import { routesOf } from '../common/routes.ts';
import { keepInvitation, keptInvitation } from './invitation.ts';

export const routes = routesOf({
  tasks: '/',
  enrol: '/enrol',
  task: '/tasks/:taskId',
  policy: '/policy',
  policyOfTask: '/policy/:taskId',
  device: '/device',
  trust: '/trust',
});

export type Arrival =
  | { readonly kind: 'link'; readonly link: OwnerLink }
  /** The link is damaged, or is not one for owners; with what can be read of it. */
  | { readonly kind: 'refused'; readonly link: Partial<OwnerLink> };

/** The beginning of the page's own places. */
const PLACE = '#/';

/**
 * Returns the arrival, or null if the address is empty or one of the page's own places. Afterwards the
 * address names the view that shows the arrival, and so does the entry in the history of this tab.
 */
export function takeArrival(
  { hash, pathname, search }: Pick<Location, 'hash' | 'pathname' | 'search'>,
  past: Pick<History, 'replaceState'>,
): Arrival | null {
  if (hash === '' || hash === '#' || hash.startsWith(PLACE)) return null;
  past.replaceState(null, '', `${pathname}${search}${PLACE}enrol`);
  try {
    const link = readOwnerLink(hash);
    keepInvitation(link);
    return { kind: 'link', link };
  } catch {
    return { kind: 'refused', link: readableMembers(hash) };
  }
}

/** Returns the arrival by an invitation that this tab has kept and nobody has used; null if there is none. */
export function keptArrival(): Arrival | null {
  const link = keptInvitation();
  return link === null ? null : { kind: 'link', link };
}
