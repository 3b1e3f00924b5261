/** The study of whether what is done with secrets takes a time that depends on them. */

import { count, only } from '../../instrument/figure.ts';
import { setting, wholeNumber } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { CONTROLS } from './controls.ts';
import { measureOperation, type Operation } from './measure.ts';
import { OPERATIONS } from './operations.ts';
import { REFUSALS } from './refusal.ts';
import { faultsOf, type Kind, readingOf } from './verdict.ts';
import { compareClasses } from './welch.ts';

const FEWEST_SAMPLES = 20_000;
const SAMPLES = setting({
  name: 'samples',
  says: 'of a fast operation; slow ones get fewer',
  parse: wholeNumber(FEWEST_SAMPLES),
  quick: FEWEST_SAMPLES,
  full: 100_000,
});
const NAMED = setting({
  name: 'operations',
  says: 'beside the controls only operations with this in their name',
  parse: String,
  quick: '',
  full: '',
});

const ALL: readonly Operation[] = [...CONTROLS, ...OPERATIONS, ...REFUSALS];
type Chosen = {
  readonly kind: Kind;
  readonly operation: string;
  readonly classes: string;
  readonly samples: number;
};
const chosenFor = ({ kind, name, classes }: Operation, samples: number): Chosen => ({
  ...{ kind, operation: name, classes: classes.join(' / '), samples },
});

const MS = { unit: 'ms' } as const;

export const timing = defineStudy<Chosen>({
  id: 'speed/timing',
  isApart: true,
  settings: [SAMPLES, NAMED],
  plan: (asked) => {
    const samples = asked.settings.of(SAMPLES);
    const part = asked.settings.of(NAMED);
    const others = [...OPERATIONS, ...REFUSALS].filter(({ name }) => name.includes(part));
    return { cases: [...CONTROLS, ...others].map((operation) => chosenFor(operation, samples)) };
  },
  titleOf: ({ operation, classes }) => `${operation}: ${classes}`,
  expectedSeconds: ({ samples }) => samples / 4000,
  async measure(chosen, { note }): Promise<Tidy[]> {
    const operation = ALL.find(
      ({ kind, name, classes }) =>
        kind === chosen.kind && name === chosen.operation && classes.join(' / ') === chosen.classes,
    );
    if (operation === undefined) throw new Error(`the operation ${chosen.operation} has gone`);
    const taken = await measureOperation(operation, chosen.samples, (done) =>
      note(`${Math.floor(100 * done)} %`),
    );
    const { counts, medians, t, ...compared } = compareClasses(taken);
    return [
      {
        ...{ count: counts[0] + counts[1], median: medians[0], medianOfSecond: medians[1] },
        ...{ t, size: Math.abs(t), ...compared, reading: readingOf({ t }) },
      },
    ];
  },
  columns: { kind: { title: '' } },
  frames: {
    faults: (records) =>
      faultsOf(
        records.map(({ kind, operation, t }) => ({
          ...{ kind: kind as Kind, name: String(operation), t: Number(t) },
        })),
      ).map((fault) => ({ fault })),
  },
  tables: {
    operations: {
      caption: 'Two classes of inputs',
      rows: ['kind', 'operation', 'classes'],
      cells: {
        samples: only('count'),
        median: only('median', MS),
        difference: only('difference', MS),
        'would show': only('visible', MS),
        '|t|': only('size', { digits: 1 }),
        reading: only('reading'),
      },
    },
    faults: { caption: 'Why nothing may be concluded from this run', of: 'faults', rows: ['fault'] },
  },
  facts: {
    faults: { of: 'faults', figure: count },
  },
  holds: { valid: (fact) => fact('faults') === 0 },
  words: new URL('timing.md', import.meta.url),
});
