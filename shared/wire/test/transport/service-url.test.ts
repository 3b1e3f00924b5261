/** An origin has one way to be written: browsers send that, and services compare. */
import { expect, it } from 'vitest';
import { PageOrigin } from '../../src/messages/service-url.ts';

it.each(['https://owner.example.org', 'https://127.0.0.1:9443', 'https://[::1]:8000'])(
  '%s is one',
  (origin) => {
    expect(PageOrigin.parse(origin)).toBe(origin);
  },
);

it.each([
  'https://owner.example.org/',
  'https://owner.example.org/page',
  'https://owner.example.org:443',
  'https://Owner.example.org',
  'https://user@owner.example.org',
  'http://owner.example.org',
  'https://*',
  '*',
  'null',
  '',
])('%s is none', (text) => {
  expect(PageOrigin.safeParse(text).success).toBe(false);
});
