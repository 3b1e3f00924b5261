import { expect, test } from 'vitest';
import { bytes, capital, count, duration, exactTime, fromNow } from '../../src/common/format.ts';

test('counts and sizes have their units', () => {
  expect(count(1, 'contribution')).toBe('1 contribution');
  expect(count(12_345, 'contribution')).toBe('12,345 contributions');
  expect([0, 999, 1500, 2_000_000, 999_600].map(bytes)).toEqual([
    '0 B',
    '999 B',
    '1.5 kB',
    '2 MB',
    '1,000 kB',
  ]);
});

test('durations have two units at most, and round before they are taken apart', () => {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  expect(duration(120)).toBe('120 ms');
  expect(duration(1000)).toBe('1 second');
  expect(duration(1500)).toBe('1.5 seconds');
  expect(duration(59.4 * second)).toBe('59 seconds');
  expect(duration(59.9 * second)).toBe('1 minute');
  expect(duration(90 * second)).toBe('1 minute 30 seconds');
  expect(duration(hour - second / 2)).toBe('1 hour');
  expect(duration(2 * hour + 5 * minute)).toBe('2 hours 5 minutes');
  expect(duration(day + 2 * hour)).toBe('1 day 2 hours');
  expect(duration(12 * day + 5 * hour)).toBe('12 days');
});

test('moments are told from now, and exactly', () => {
  const now = new Date('2030-06-01T12:00:00.000Z');
  expect(fromNow(new Date('2030-06-04T12:00:00.000Z'), now)).toBe('in 3 days');
  expect(fromNow(new Date('2030-06-01T10:00:00.000Z'), now)).toBe('2 hours ago');
  expect(fromNow(now, now)).toBe('now');
  expect(fromNow(new Date('2030-06-01T11:59:55.400Z'), now)).toBe('5 seconds ago');
  expect(exactTime(now)).toBe('2030-06-01 12:00:00 UTC');
});

test('a sentence begins with a capital, unless it begins with a symbol, an address or a name', () => {
  expect(['the service cannot be reached', 'a row', 'two-party', 'no'].map(capital)).toEqual([
    'The service cannot be reached',
    'A row',
    'Two-party',
    'No',
  ]);
  const kept = ['https://a.example cannot', 'ρ, in units', 'h, for 2^h bins', 'rows.csv has', '"a" is', ''];
  expect(kept.map(capital)).toEqual(kept);
});
