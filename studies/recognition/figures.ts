/** Columns, figures and facts that the studies of recognition share. */
import { beside, type Figure, type Form, only, where, within } from '../instrument/figure.ts';
import type { Columns, Fact } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import type { Interval } from './intervals.ts';
import { KEYS, WALK } from './people.ts';

/** In percent with one digit: of records in percent, and of records in [0, 1]. */
export const RATE: Form = { digits: 1 };
export const SHARE: Form = { digits: 1, percent: true };

/** The names of columns of several studies. */
export const COLUMNS: Columns = {
  dataset: { title: 'data set', values: { [KEYS]: 'keystrokes (MEU)', [WALK]: 'walking (WISDM)' } },
};

/** Percent, with four decimals. */
export const percent = (share: number): number => Number((100 * share).toFixed(4));

/** Equal error rates as records: of single rows, and of means of five. */
export const ratesIn = ({
  perSample,
  overFive,
}: {
  readonly perSample: number;
  readonly overFive: number;
}): Tidy[] => [
  { windows: 1, eer: percent(perSample) },
  { windows: 5, eer: percent(overFive) },
];

/** An interval as columns. */
export const columnsOf = (name: string, { value, low, high }: Omit<Interval, 'n'>): Tidy => ({
  [name]: value,
  ...endsOf(name, { low, high }),
});
export const endsOf = (name: string, { low, high }: Pick<Interval, 'low' | 'high'>): Tidy => ({
  [`${name}Low`]: low,
  [`${name}High`]: high,
});
/** A column with its interval: `6.3 [4.8, 7.8]`. */
export const interval = (name: string, form: Form): Figure => within(name, `${name}Low`, `${name}High`, form);

/** A figure of equal error rates, of single rows and of means of five. */
export const overWindows = (figure: Figure = only('eer', RATE)): Figure =>
  beside(' / ', where({ windows: 1 }, figure), where({ windows: 5 }, figure));

/** Facts of both data sets: `keysName` and `walkName` for `name`. */
export function ofBothSets(
  facts: Readonly<Record<string, { readonly of?: string; readonly where?: Tidy; readonly figure: Figure }>>,
): Record<string, Fact> {
  return Object.fromEntries(
    Object.entries({ keys: KEYS, walk: WALK }).flatMap(([set, dataset]) =>
      Object.entries(facts).map(([name, fact]) => [
        `${set}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        { ...fact, where: { ...fact.where, dataset } },
      ]),
    ),
  );
}
