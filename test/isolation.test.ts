/** Files that share a process must not replace modules: nobody looks for replacements there, so that they have no effect. */
import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { ALL, ALONE } from '../vitest.config.ts';

it('every test file that replaces modules has a process to itself', () => {
  const replacing = globSync(ALL).filter((file) => /^vi\.mock\(/m.test(readFileSync(file, 'utf8')));
  expect(replacing).not.toEqual([]);
  expect(replacing.filter((file) => !ALONE.some((pattern) => matchesGlob(file, pattern)))).toEqual([]);
});
