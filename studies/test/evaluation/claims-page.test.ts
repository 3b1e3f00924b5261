/** The page of claims names what would refute each, with the last verdict, and refuses names of claims that there are not. */
import { describe, expect, it } from 'vitest';
import { type ClaimSources, claimsPage } from '../../evaluation/claims/page.ts';
import { RESULT } from './report/made-up.ts';

const claim = (id: ClaimSources['claims'][number]['id'], text: string) =>
  ({ id, document: 'docs/security/keys.md', heading: 'At rest', text }) as const;
const [experiment] = RESULT.experiments.filter(({ expectation }) => expectation === 'holds');

const SOURCES: ClaimSources = {
  claims: [
    claim('S-84', 'Secrets are **sealed**;'),
    claim('S-85', 'Backups hold no key.'),
    claim('S-86', 'Nothing | else.'),
  ],
  experiments: [
    { id: experiment!.id, expectation: 'holds', claims: ['S-84'] },
    { id: 'not-run-yet', expectation: 'admitted', claims: ['S-84'] },
    { id: 'planted', expectation: 'control', claims: ['S-86'] },
  ],
  tests: new Map([
    ['test/backup.test.ts', '/**\n * Backups.\n *\n * @claims S-84,\n * S-85\n */\nconst text = "S-86";'],
  ]),
  kept: { experiments: RESULT.experiments, day: '2026-11-22' },
};
const linesOf = (sources: ClaimSources, id: string) =>
  claimsPage(sources)
    .split('\n')
    .filter((line) => line.startsWith(`| [${id}]`));

describe('a claim', () => {
  it('leads to its section, and has its experiments with verdict and figure, then its tests', () => {
    const [line] = linesOf(SOURCES, 'S-84');
    expect(line).toContain('[S-84](../../docs/security/keys.md#at-rest) | Secrets are sealed |');
    expect(line).toMatch(
      new RegExp(
        `\\[${experiment!.id}\\]\\(\\.\\./evaluation/report\\.md#[\\w-]+\\): \\S+ \\w+, [\\d.−]+ \\([\\d.−]+ to [\\d.]+\\)`,
      ),
    );
    expect(line).toContain('`not-run-yet`: in no kept run; test: [backup](../../test/backup.test.ts) |');
  });

  it('that only a test names has that test', () => {
    expect(linesOf(SOURCES, 'S-85')[0]).toContain('| test: [backup](../../test/backup.test.ts) |');
  });

  it('that neither a test nor an experiment names was checked by review, also where a control stands beside it', () => {
    expect(linesOf(SOURCES, 'S-86')).toEqual([
      '| [S-86](../../docs/security/keys.md#at-rest) | Nothing \\| else. | by review |',
    ]);
    expect(claimsPage(SOURCES)).toContain(
      'Of 3 claims, 1 have an experiment, 1 more have a test, and 1 were checked by review alone.',
    );
  });
});

it.each([
  ['an experiment', { experiments: [{ id: 'stray', expectation: 'holds', claims: ['S-999'] }] }, 'stray'],
  ['a test', { tests: new Map([['test/x.test.ts', '// @claims S-999']]) }, 'test/x.test.ts'],
] as const)('refuses %s about a claim that no document has', (_, changed, name) => {
  expect(() => claimsPage({ ...SOURCES, ...changed })).toThrow(`${name} names S-999`);
});
