import { newTaskId, Thumbprint } from '@eigenveil/task';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OwnerLink, ownerLink, readOwnerLink } from '../src/owner-link.ts';

const CSP = 'https://csp.example.org:8443';
const THUMBPRINT = Thumbprint.parse('A'.repeat(43));
const TOKEN = 'T-_'.repeat(10);
const least: OwnerLink = { csp: CSP, thumbprint: THUMBPRINT };
const whole: OwnerLink = {
  ...least,
  dataUser: 'https://user.example.org',
  task: newTaskId(),
  token: TOKEN,
};

describe('a link for owners', () => {
  test.each([
    ['all of it', whole],
    ['the least', least],
  ])('is read as it was made: %s', (_, link) => {
    const { hash, search, pathname } = new URL(ownerLink('https://owner.example.org/page/', link));
    expect(readOwnerLink(hash)).toEqual(link);
    expect([search, pathname]).toEqual(['', '/page/']);
  });

  const fragment = (members: Readonly<Record<string, string>>) =>
    Object.entries(members)
      .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
      .join('&');
  test.each([
    ['', /expected members/],
    ['csp', /expected members/],
    [`csp=${CSP}`, /"thumbprint": is missing/],
    [`${fragment(least)}&csp=${CSP}`, /each once/],
    [`${fragment(least)}&more=1`, /more/],
    [`${fragment(least)}&__proto__=1`, /link/],
    [`${fragment(least)}&token=%E0%A4%A`, /expected members/],
    [fragment({ ...least, csp: 'http://csp.example.org' }), /"csp"/],
    [fragment({ ...least, csp: `${CSP}/path` }), /"csp"/],
    [fragment({ ...least, csp: 'https://a@b.example' }), /"csp"/],
    [fragment({ ...least, csp: 'javascript:alert(1)' }), /"csp"/],
    [fragment({ ...least, thumbprint: 'short' }), /"thumbprint"/],
    [fragment({ ...least, token: 'a b'.repeat(10) }), /"token"/],
    [fragment({ ...least, task: whole.task! }), /"task": expected with "dataUser"/],
    [fragment({ ...whole, task: 'x' }), /"task"/],
  ])('is refused when it is another: %s', (text, why) => {
    expect(() => readOwnerLink(text)).toThrow(
      expect.objectContaining({ code: 'ERR_BODY_INVALID', message: expect.stringMatching(why) }),
    );
  });

  test('is refused for any other text, which is not repeated', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        expect(() =>
          readOwnerLink(`csp=${CSP}&thumbprint=${encodeURIComponent(text)}&token=${TOKEN}`),
        ).toThrow(expect.toSatisfy(({ message }: Error) => !message.includes(TOKEN)));
      }),
    );
  });
});
