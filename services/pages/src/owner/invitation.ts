/**
 * The invitation that somebody came by, kept in this tab until it is used: a page that is loaded again has it
 * still. The session storage ends with the tab, no other tab reads it, and no server gets it. The token in
 * the invitation enrols once, so nothing of it is kept afterwards.
 */
import { parseJson } from '@eigenveil/wire/errors';
import { OwnerLink } from '@eigenveil/wire/owner-link';

/** The services that somebody at the page has decided to trust, with the token to enrol by. */
export type Trusted = OwnerLink & { readonly token: NonNullable<OwnerLink['token']> };

const NAME = 'eigenveil-invitation';

/** Keeps the invitation. Where the storage is full, it lasts until the page is loaded again. */
export function keepInvitation(link: OwnerLink): void {
  const storage = tabStorage();
  storage?.removeItem(NAME);
  try {
    storage?.setItem(NAME, JSON.stringify(link));
  } catch {
    // The page has the invitation, and goes on with it.
  }
}

export function keptInvitation(): OwnerLink | null {
  const text = tabStorage()?.getItem(NAME);
  const link = OwnerLink.safeParse(parseJson(text ?? ''));
  return link.success ? link.data : null;
}

export function forgetInvitation(): void {
  tabStorage()?.removeItem(NAME);
}

/** Returns null where the browser keeps nothing for this site, which the page says by itself. */
function tabStorage(): Storage | null {
  try {
    return globalThis.sessionStorage;
  } catch {
    return null;
  }
}
