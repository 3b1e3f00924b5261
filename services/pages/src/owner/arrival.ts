/** Takes the link that somebody came by out of the address, before anything else can read it there. */
import { type OwnerLink, readOwnerLink } from '@eigenveil/wire/owner-link';

export type Arrival =
  | { readonly kind: 'link'; readonly link: OwnerLink }
  /** A link that is damaged, or none for owners. */
  | { readonly kind: 'refused'; readonly error: unknown };

/** What a page's own places begin with. */
const PLACE = '#/';

/**
 * What the address says beside the page's own places; null: nothing. The address then names the view that shows it, and so does the entry in the
 * history of this tab.
 */
export function takeArrival(
  { hash, pathname, search }: Pick<Location, 'hash' | 'pathname' | 'search'>,
  past: Pick<History, 'replaceState'>,
): Arrival | null {
  if (hash === '' || hash === '#' || hash.startsWith(PLACE)) return null;
  past.replaceState(null, '', `${pathname}${search}${PLACE}enrol`);
  try {
    return { kind: 'link', link: readOwnerLink(hash) };
  } catch (error) {
    return { kind: 'refused', error };
  }
}
