import { expect, test } from 'vitest';
import { reachedBy, unreachable } from '../../src/owner/reachable.ts';

const POLICY =
  "default-src 'none'; connect-src 'self' https://csp.example.org https://user.example.org:8444; img-src data:";

test('the services that a page may reach are those of its policy', () => {
  expect(reachedBy(POLICY)).toEqual(['https://csp.example.org', 'https://user.example.org:8444']);
  expect(reachedBy("connect-src 'self'")).toEqual([]);
  expect(reachedBy("default-src 'none'")).toBeNull();
});

test('another one is refused, with their names', () => {
  expect(unreachable('https://user.example.org:8444', POLICY)).toBeNull();
  expect(unreachable('https://other.example.org', '')).toBeNull();
  expect(unreachable('https://user.example.org', POLICY)).toBe(
    'This page can reach https://csp.example.org, https://user.example.org:8444 alone. Whoever hosts it can add others',
  );
  expect(unreachable('https://user.example.org', "connect-src 'self'")).toContain('no service alone');
});
