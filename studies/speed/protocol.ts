/** One owner's contribution, one addition at the data user and the unblinding at the CSP, against the published protocol done literally, in one run on one thread. */

import { median, ratio, where } from '../instrument/figure.ts';
import { setting, wholeNumber, wholeNumbers } from '../instrument/settings.ts';
import { median as middle, summariseRatios } from '../instrument/statistics.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { exampleStatistics, exampleTask } from './example-task.ts';
import { expectedSeconds, measureRoles, type RoleColumn } from './roles.ts';

const REPETITIONS = 5;

const FEATURES = setting({
  name: 'features',
  says: 'numbers of features, separated by commas',
  parse: wholeNumbers,
  quick: [8],
  full: [8, 14, 34, 50],
});
const BITS = setting({
  name: 'bits',
  says: 'key lengths, separated by commas',
  parse: wholeNumbers,
  quick: [1024],
  full: [2048],
});
const LITERAL = setting<number | 'all'>({
  name: 'literal',
  says: 'ciphertexts of the literal protocol that are timed, and scaled up to all of them, or "all" (minutes)',
  parse: (text) => (text === 'all' ? text : wholeNumber()(text)),
  quick: 12,
  full: 12,
});

interface Row {
  readonly features: number;
  readonly keyBits: number;
  readonly role: string;
  readonly scheme: string;
  readonly literalMs: number;
  readonly eigenveilMs: number;
  readonly ratio: number;
  /** At the data user: the same with the check of every ciphertext, which the literal protocol does not have. */
  readonly eigenveilValidatedMs?: number;
  readonly ratioValidated?: number;
}

/** The series that stand beside each other in each row. */
const COMPARED: readonly (Tidy & {
  readonly literal: RoleColumn;
  readonly eigenveil: RoleColumn;
  readonly checked?: RoleColumn;
})[] = [
  { role: 'owner', scheme: 'standard', literal: 'owner/literal', eigenveil: 'owner/standard' },
  { role: 'owner', scheme: 'djn', literal: 'owner/literal', eigenveil: 'owner/djn' },
  {
    ...{ role: 'user', scheme: 'standard', literal: 'user/literal' },
    ...{ eigenveil: 'user/eigenveil', checked: 'user/checked' },
  },
  { role: 'csp', scheme: 'standard', literal: 'csp/literal', eigenveil: 'csp/eigenveil' },
];
const [LITERALLY, OURS, CHECKED] = [{ by: 'literal' }, { by: 'eigenveil' }, { by: 'checked' }];
const milliseconds = median('ms', { unit: 'ms' });

const sampleOf = (literal: number | string) =>
  literal === 'all' ? Number.POSITIVE_INFINITY : Number(literal);

export const protocol = defineStudy({
  id: 'speed/protocol',
  isApart: true,
  settings: [FEATURES, BITS, LITERAL],
  plan: ({ settings }) => {
    const cases = settings.of(BITS).flatMap((keyBits) =>
      settings.of(FEATURES).map((features) => ({
        features,
        keyBits,
        literal: settings.of(LITERAL),
        repetitions: REPETITIONS,
      })),
    );
    return { cases };
  },
  titleOf: ({ features, keyBits }) => `d = ${features}, ${keyBits} bits`,
  expectedSeconds: ({ features, keyBits, literal, repetitions }) =>
    expectedSeconds({
      ...{ features, keyBits, repetitions },
      literalSample: Math.min(sampleOf(literal), features ** 2 + features + 1),
    }),
  async *measure({ features, keyBits, literal, repetitions }, { note }): AsyncGenerator<Tidy> {
    const task = exampleTask(features, keyBits);
    const measured = await measureRoles({
      ...{ task, statistics: exampleStatistics(task), repetitions, note },
      literalSample: sampleOf(literal),
    });
    for (const { role, scheme, ...compared } of COMPARED)
      for (const [by, name] of Object.entries(compared) as [string, RoleColumn][])
        for (const { repetition, [name]: ms } of measured)
          yield { role: role!, scheme: scheme!, by, repetition, ms };
  },
  columns: {
    features: { title: 'd' },
    keyBits: { title: 'bits' },
    role: { values: { user: 'data user', csp: 'CSP' } },
    scheme: { values: { djn: 'DJN' } },
  },
  tables: {
    roles: {
      caption: 'Each role beside the literal protocol',
      rows: ['features', 'keyBits', 'role', 'scheme'],
      cells: {
        literal: where(LITERALLY, milliseconds),
        Eigenveil: where(OURS, milliseconds),
        ratio: ratio('ms', LITERALLY, OURS),
        'ciphertexts checked': where(CHECKED, milliseconds),
        'ratio, checked': ratio('ms', LITERALLY, CHECKED),
      },
    },
  },
  words: new URL('protocol.md', import.meta.url),
  json: (records) => ({ rows: rowsOf(records) }),
});

/** The rows that `--json` has always printed. */
function rowsOf(records: readonly Tidy[]): Row[] {
  const groups = Map.groupBy(records, ({ features, keyBits, role, scheme }) =>
    JSON.stringify({ features, keyBits, role, scheme }),
  );
  return [...groups].map(([key, group]) => {
    const samples = (by: string) => group.filter((it) => it.by === by).map(({ ms }) => Number(ms));
    const [literal, eigenveil, checked] = ['literal', 'eigenveil', 'checked'].map(samples) as [
      number[],
      number[],
      number[],
    ];
    return {
      ...(JSON.parse(key) as Pick<Row, 'features' | 'keyBits' | 'role' | 'scheme'>),
      literalMs: middle(literal),
      eigenveilMs: middle(eigenveil),
      ratio: summariseRatios(literal, eigenveil).median,
      ...(checked.length > 0 && {
        eigenveilValidatedMs: middle(checked),
        ratioValidated: summariseRatios(literal, checked).median,
      }),
    };
  });
}
