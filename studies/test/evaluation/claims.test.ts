/** Claims are read as the documents have them, and get no better verdict than their experiments can give. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLAIM_DOCUMENTS } from '../../evaluation/claims/documents.ts';
import { CLAIMS_PAGE } from '../../evaluation/claims/page.ts';
import { claimsOf, readClaims } from '../../evaluation/claims/read.ts';
import { judgedClaims } from '../../evaluation/claims/verdicts.ts';
import type { Expectation } from '../../evaluation/experiment.ts';
import type { ExperimentResult, Verdict } from '../../evaluation/result.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

describe('reading', () => {
  it('finds every claim of the documents once, with words', async () => {
    const claims = await readClaims();
    const texts = new Map(claims.map(({ id, text }) => [id, text]));
    expect(texts.get('S-13')).toBe('The CSP **never sees** an unblinded value or any output.');
    expect(texts.get('S-563')).toMatch(/^The data user \*\*learns\*\*: the ids of all owners/);
    expect(texts.get('S-105')).toBe('`spectrum` · m(m − 1)/2 > b, and so m ≥ 2');
    expect(texts.get('P-30')).toBe('Rounding is post-processing and costs nothing.');
    expect(claims.find(({ id }) => id === 'P-30')).toMatchObject({
      document: 'docs/privacy.md',
      heading: 'Noise of servers',
    });
    expect(claims.length).toBeGreaterThan(300);
  });

  it('passes over no page of docs/security', async () => {
    const pages = (await readdir(pathOf('docs/security'))).map((name) => `docs/security/${name}`);
    expect([...CLAIM_DOCUMENTS, CLAIMS_PAGE]).toEqual(expect.arrayContaining(pages));
  });

  it('finds a SECURITY.md that is read in one sitting', async () => {
    const text = await readFile(pathOf('SECURITY.md'), 'utf8');
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(3500);
  });

  it('passes over code, examples of a bracket, and links to claims', () => {
    const text = [
      '# Title',
      'A bracket such as [S-1] names a claim. One over',
      'two lines [S-2] and another. [S-3]',
      '```',
      'code [S-4]',
      '```',
      '- See [P-9](privacy.md#x) [S-5]',
    ].join('\n');
    expect(claimsOf('SECURITY.md', text)).toEqual(
      [
        { id: 'S-2', text: 'A bracket such as [S-1] names a claim. One over two lines' },
        { id: 'S-3', text: 'and another.' },
        { id: 'S-5', text: 'See [P-9](privacy.md#x)' },
      ].map((claim) => ({ ...claim, document: 'SECURITY.md', heading: 'Title' })),
    );
  });

  it('refuses an id behind nothing', () => {
    expect(() => claimsOf('SECURITY.md', 'Words. [S-1] [S-2]')).toThrow('[S-2] expected a claim before it');
  });
});

describe('verdicts', () => {
  const claim = { id: 'S-8', document: 'SECURITY.md', heading: 'Threat model', text: 'never' } as const;
  const verdictOf = (...about: [Expectation, Verdict | null][]) =>
    judgedClaims(
      [claim],
      about.map(
        ([expectation, verdict], i): ExperimentResult => ({
          id: `${expectation}-${i}`,
          title: '',
          kind: 'attack',
          attacker: 'CSP',
          secret: 'result',
          claims: ['S-8'],
          sees: '',
          knows: '',
          control: '',
          baseline: '',
          unit: 'row',
          cases: [],
          omitted: [],
          expectation,
          verdict,
        }),
      ),
    )[0]!;

  it.each<[string, [Expectation, Verdict | null][]]>([
    ['not covered', []],
    ['not covered', [['control', 'broken']]],
    ['not covered', [['holds', null]]],
    [
      'measured',
      [
        ['admitted', 'broken'],
        ['control', 'broken'],
      ],
    ],
    [
      'holds',
      [
        ['holds', 'holds'],
        ['admitted', 'broken'],
        ['control', 'broken'],
      ],
    ],
    [
      'undecided',
      [
        ['holds', 'holds'],
        ['holds', 'undecided'],
      ],
    ],
    [
      'broken',
      [
        ['holds', 'undecided'],
        ['holds', 'broken'],
      ],
    ],
  ])('%s of %j', (expected, about) => {
    expect(verdictOf(...about).verdict).toBe(expected);
  });

  it('names experiments, and apart from them controls', () => {
    const result = verdictOf(['control', 'broken'], ['admitted', 'undecided'], ['holds', 'holds']);
    expect(result).toMatchObject({ experiments: ['holds-2', 'admitted-1'], controls: ['control-0'] });
  });

  it('refuses an experiment about a claim that nobody makes', () => {
    expect(() =>
      judgedClaims([{ ...claim, id: 'S-9' }], [{ ...({} as ExperimentResult), id: 'x', claims: ['S-8'] }]),
    ).toThrow('x names S-8');
  });
});
