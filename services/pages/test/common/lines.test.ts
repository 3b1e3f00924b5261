import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSplitter } from '../../src/common/http.ts';

test('lines come whole, however the text is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[^\n]+$/)), fc.array(fc.nat({ max: 20 })), (lines, cuts) => {
      let rest = lines.map((it) => `${it}\n`).join('');
      const split = lineSplitter();
      const out: string[] = [];
      for (const cut of cuts) {
        out.push(...split(rest.slice(0, cut)));
        rest = rest.slice(cut);
      }
      out.push(...split(rest));
      expect(out).toEqual(lines);
    }),
  );
});

test('a line that never ends is refused before it fills the memory', () => {
  const split = lineSplitter(10);
  expect(split('12345')).toEqual([]);
  expect(() => split('678901')).toThrow(expect.objectContaining({ code: 'ERR_PEER_PROTOCOL' }));
});
