/** A small made-up study, for tests of the instrument. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mean, median, only, ratio, spread } from '../../instrument/figure.ts';
import { setting, wholeNumber } from '../../instrument/settings.ts';
import { defineStudy, grid, type Study, type StudyGroup } from '../../instrument/study.ts';

const REPETITIONS = setting({
  name: 'repetitions',
  says: 'throws of each',
  parse: wholeNumber(),
  quick: 2,
  full: 4,
});

export const WORDS = `# made-up/throws: how far an arm throws

## Throws

A throw goes {{far}} on average.

{{table "lengths"}}

### How they grow

{{chart "growth"}}

{{#conclusions}}
{{#holds "grows"}}Longer arms throw farther: {{gain}}.{{/holds}}
{{else}}
Conclusions are drawn from full runs.
{{/conclusions}}
`;

/** Throws of `arm` and of one that is twice as strong; those of arm 3 fail where `breaks` says so. */
function madeUpStudy(words: URL, breaks: { arm?: number } = {}): Study {
  return defineStudy({
    id: 'made-up/throws',
    settings: [REPETITIONS],
    plan: ({ scale, settings, own }) => ({
      cases: grid({ arm: scale === 'quick' ? [1, 2] : [1, 2, 3], throws: [settings.of(REPETITIONS)] }).map(
        (one) => ({
          ...one,
          ...(own && { rows: own.rows.length }),
        }),
      ),
      omissions: scale === 'quick' ? [{ what: 'arm 3', why: 'left to the full run' }] : [],
    }),
    titleOf: ({ arm }) => `arm ${arm}`,
    expectedSeconds: () => 1,
    async *measure({ arm, throws }, { note }) {
      note('throwing');
      if (arm === breaks.arm) throw new Error('an arm that broke');
      for (let i = 0; i < Number(throws); i += 1)
        for (const strength of [1, 2]) yield { i, strength, metres: Number(arm) * strength + i / 10 };
    },
    columns: { arm: { title: 'length of the arm' }, strength: { values: { 1: 'weak', 2: 'strong' } } },
    frames: { first: (records) => records.filter(({ i }) => i === 0) },
    tables: {
      lengths: {
        caption: 'Metres',
        rows: ['arm'],
        across: { column: 'strength', cell: spread('metres', { digits: 2 }) },
      },
    },
    charts: {
      growth: {
        caption: 'Metres over the arm',
        mark: 'line',
        x: { column: 'arm' },
        y: { figure: median('metres'), title: 'metres' },
        colour: 'strength',
        isKept: true,
      },
    },
    facts: {
      far: { figure: mean('metres', { digits: 2, unit: 'm' }) },
      gain: { figure: ratio('metres', { strength: 2 }, { strength: 1 }) },
      longest: { of: 'first', where: { arm: 3, strength: 2 }, figure: only('metres') },
    },
    holds: { grows: (fact) => fact('gain') > 1 },
    words,
  });
}

/** A group of it, whose pages are files of a folder of their own. */
export async function madeUpGroup(
  breaks: { arm?: number } = {},
  words = WORDS,
): Promise<StudyGroup & { readonly studies: readonly [Study] }> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-study-'));
  const at = (name: string) => pathToFileURL(join(folder, name));
  await writeFile(at('throws.md'), words);
  await writeFile(at('made-up.md'), 'What is thrown, and {{throws.far}}.\n');
  return {
    name: 'made-up',
    title: 'Throws',
    studies: [madeUpStudy(at('throws.md'), breaks)],
    words: at('made-up.md'),
    usual: 'full',
  };
}
