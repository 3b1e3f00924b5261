/**
 * The link by which somebody becomes a data owner on the owners' page, and the address of that page. All of the link
 * stands behind the `#`, which browsers send to no server; the token in it enrols whoever comes first, once.
 */
import { CodedError } from '@eigenveil/platform';
import { TaskId, Thumbprint } from '@eigenveil/task/ids';
import { z } from 'zod';
import { CODES } from '../codes.ts';
import { explainIssues } from '../explain.ts';
import { ServiceUrl } from './service-url.ts';

/** All that a CSP makes are 32 bytes in base64url, so that a link that was cut off within its token is noticed. */
const Token = z.string().regex(/^[\w-]{43}$/, 'expected an enrolment token of 43 characters');

/**
 * The service that the owner should trust, and what the owner should do there. A task is looked for at its
 * data user.
 */
export const OwnerLink = z
  .strictObject({
    csp: ServiceUrl,
    thumbprint: Thumbprint,
    dataUser: ServiceUrl.exactOptional(),
    task: TaskId.exactOptional(),
    token: Token.exactOptional(),
  })
  .refine(({ task, dataUser }) => task === undefined || dataUser !== undefined, {
    path: ['task'],
    message: 'expected with "dataUser"',
  });
export type OwnerLink = z.infer<typeof OwnerLink>;

/**
 * The address at which an organisation hosts the owners' page: a folder or a file there, without query and
 * fragment.
 */
export const OwnerPageUrl = z
  .url({ protocol: /^https$/ })
  .regex(/^https:\/\/[^?#@]+$/i, 'expected an https address without "?", "#" and a user');

/** The limit of a fragment: several times the longest that is made of usual names of hosts. */
const LONGEST_FRAGMENT = 2048;

/**
 * @param page as `OwnerPageUrl` takes it
 * @example
 * import { OwnerLink, ownerLink } from '@eigenveil/wire/owner-link';
 *
 * const members = { csp: text, thumbprint: text, dataUser: text, task: text, token: text };
 * const link = ownerLink('https://owner.example.org/', OwnerLink.parse(members));
 */
export function ownerLink(page: string, link: OwnerLink): string {
  const members = Object.entries(OwnerLink.parse(link));
  return `${page}#${members.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&')}`;
}

/**
 * Reads what stands behind the `#` of such a link. It is strict: each member stands once, and no other does.
 * It checks only the form of what the link says.
 * @param fragment with or without its `#`
 * @throws ERR_BODY_INVALID naming the member that is wrong, never what it holds
 */
export function readOwnerLink(fragment: string): OwnerLink {
  if (fragment.length > LONGEST_FRAGMENT) throw refused(`expected at most ${LONGEST_FRAGMENT} characters`);
  const members = new Map<string, string>();
  for (const [name, text] of partsOf(fragment)) {
    if (text === null || members.has(name))
      throw refused('expected members such as "csp=…", with "&" between, each once');
    members.set(name, text);
  }
  const link = OwnerLink.safeParse(Object.fromEntries(members));
  if (!link.success) throw refused(explainIssues(link.error, 'link'));
  return link.data;
}

/**
 * Returns the members of a link that `readOwnerLink` refuses, as far as each is one by its form. The last one is
 * left out, since it may be cut off, and so is whatever stands there twice.
 */
export function readableMembers(fragment: string): Partial<OwnerLink> {
  if (fragment.length > LONGEST_FRAGMENT) return {};
  const parts = partsOf(fragment).slice(0, -1);
  const members = Object.entries(OwnerLink.shape).flatMap(([name, schema]) => {
    const [first, second] = parts.filter(([it]) => it === name);
    const text = schema.safeParse(first?.[1]);
    return text.success && text.data !== undefined && second === undefined ? [[name, text.data]] : [];
  });
  return Object.fromEntries(members);
}

/** Returns the parts of a fragment, each with its name and its text; null where it is none. */
const partsOf = (fragment: string): (readonly [name: string, text: string | null])[] =>
  fragment
    .replace(/^#/, '')
    .split('&')
    .map((part) => [
      part.slice(0, part.indexOf('=')),
      part.includes('=') ? decoded(part.slice(part.indexOf('=') + 1)) : null,
    ]);

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const refused = (why: string) =>
  new CodedError(CODES.ERR_BODY_INVALID, `this link is none for a data owner, or not all of it: ${why}`);
