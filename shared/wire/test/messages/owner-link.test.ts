import { newTaskId, Thumbprint } from '@eigenveil/task';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type OwnerLink,
  OwnerPageUrl,
  ownerLink,
  readableMembers,
  readOwnerLink,
} from '../../src/messages/owner-link.ts';

const CSP = 'https://csp.example.org:8443';
const THUMBPRINT = Thumbprint.parse('A'.repeat(43));
const TOKEN = 'T-_'.repeat(15).slice(0, 43);
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

  test('is read as it was made, whatever it holds', () => {
    const text = (least: number, most: number) =>
      fc.string({
        unit: fc.constantFrom(...'ABCXYZabcxyz0189_-'),
        minLength: least,
        maxLength: most,
      });
    const url = fc
      .tuple(fc.domain(), fc.option(fc.integer({ min: 1, max: 65_535 })))
      .map(([host, port]) => `https://${host}${port === null ? '' : `:${port}`}`);
    const links = fc
      .record(
        { csp: url, thumbprint: fc.constant(THUMBPRINT), dataUser: url, token: text(43, 43) },
        { requiredKeys: ['csp', 'thumbprint'] },
      )
      .chain((link) =>
        'dataUser' in link && link.dataUser !== undefined
          ? fc.option(fc.constant(newTaskId())).map((task) => (task === null ? link : { ...link, task }))
          : fc.constant(link),
      );
    fc.assert(
      fc.property(links, (link) => {
        expect(readOwnerLink(new URL(ownerLink('https://owner.example.org/', link)).hash)).toEqual(link);
      }),
    );
  });

  test('is refused with a member that nobody knows, whatever its name', () => {
    const known = ['csp', 'thumbprint', 'dataUser', 'task', 'token'];
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20 }).filter((name) => !known.includes(name)),
        (name) => {
          expect(() => readOwnerLink(`${fragment(least)}&${encodeURIComponent(name)}=x`)).toThrow(
            expect.objectContaining({ code: 'ERR_BODY_INVALID' }),
          );
        },
      ),
    );
  });

  test('that is damaged has the members that are whole, and none that may be cut off', () => {
    const all = fragment(whole);
    expect(readableMembers(all.slice(0, all.indexOf('&task=') + 10))).toEqual({
      ...least,
      dataUser: whole.dataUser,
    });
    const { token: _, ...uncut } = whole;
    expect(readableMembers(`other=1&${all.slice(0, -5)}`)).toEqual(uncut);
    expect(readableMembers(all.replace('csp=https', 'csp=http'))).not.toHaveProperty('csp');
    expect(readableMembers(`csp=https://other.example&${all}`)).not.toHaveProperty('csp');
    expect(readableMembers(all.replaceAll('&', '&amp;'))).toEqual({ csp: CSP });
    for (const nothing of ['', '#', 'csp=%', `${all}&${'x'.repeat(2048)}`, 'token=&&=']) {
      expect(() => readOwnerLink(nothing)).toThrow();
      expect(readableMembers(nothing)).toEqual({});
    }
  });

  test('is refused when it is longer than any', () => {
    const long = `https://${'a.'.repeat(1000)}example`;
    expect(() => readOwnerLink(fragment({ ...whole, dataUser: long }))).toThrow(/at most 2048 characters/);
  });

  test.each([
    ['https://owner.example.org', true],
    ['https://owner.example.org:8445/eigenveil/', true],
    ['http://owner.example.org/', false],
    ['https://owner.example.org/#', false],
    ['https://owner.example.org/?a', false],
    ['https://somebody@owner.example.org/', false],
    ['owner.example.org', false],
  ])('leads to a page: %s (%s)', (page, taken) => {
    expect(OwnerPageUrl.safeParse(page).success).toBe(taken);
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
    [fragment({ ...least, token: 'a b'.repeat(15).slice(0, 43) }), /"token"/],
    [fragment(whole).slice(0, -1), /"token"/],
    [`${fragment(whole)}A`, /"token"/],
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
