/**
 * The vectors as a heat map: a table whose cells are coloured, so that names stay readable and there are
 * figures for any number of features.
 */
import { methodOf } from '@eigenveil/methods';
import type { Projection } from '@eigenveil/wire';
import { useMemo, useState } from 'preact/hooks';
import { Field } from '../common/controls.tsx';
import { Scroll } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import { largestEntry, loadingRows, strengthOf } from './figures.ts';

/** The most components side by side. */
const PAGE = 20;
const LONGEST_NAME = 40;
const DIGITS = 3;

export function Loadings({ projection }: { readonly projection: Projection }) {
  const { vectors, features } = projection;
  const [first, setFirst] = useState(0);
  const [orderBy, setOrderBy] = useState<number | null>(null);
  const [hasFigures, setFigures] = useState(true);
  const largest = useMemo(() => largestEntry(vectors), [vectors]);
  const rows = useMemo(
    () => loadingRows(projection, { first, count: PAGE, orderBy }),
    [projection, first, orderBy],
  );
  const shown = vectors.slice(first, first + PAGE).map((_, j) => first + j);
  const pages = Array.from({ length: Math.ceil(vectors.length / PAGE) }, (_, page) => page * PAGE);
  const caption = `Loadings of ${features.length} features in components ${shown[0]! + 1} to ${shown.at(-1)! + 1}`;
  return (
    <>
      <h2>Loadings</h2>
      <p>
        How much each feature, mapped to [−1, 1], weighs in a component. Blue weighs up, orange down; the
        stronger the colour, the more.
        {methodOf(projection).decomposes === 'correlation' && (
          <> Vectors of a correlation matrix are for features that were divided by their deviation.</>
        )}
      </p>
      <div class="columns">
        <Field label="Order of the features">
          {(attributes) => (
            <select
              {...attributes}
              value={orderBy ?? ''}
              onChange={({ currentTarget: { value } }) => setOrderBy(value === '' ? null : Number(value))}
            >
              <option value="">as in the task</option>
              {vectors.map((_, j) => (
                <option key={j} value={j}>
                  what weighs most in component {j + 1} first
                </option>
              ))}
            </select>
          )}
        </Field>
        {pages.length > 1 && (
          <Field label="Components">
            {(attributes) => (
              <select
                {...attributes}
                value={first}
                onChange={({ currentTarget: { value } }) => setFirst(Number(value))}
              >
                {pages.map((from) => (
                  <option key={from} value={from}>
                    {from + 1} to {Math.min(from + PAGE, vectors.length)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field label="Figures in the cells">
          {(attributes) => (
            <input
              {...attributes}
              type="checkbox"
              checked={hasFigures}
              onChange={({ currentTarget: { checked } }) => setFigures(checked)}
            />
          )}
        </Field>
      </div>
      <div class={hasFigures ? 'heat' : 'heat small'}>
        <Scroll label={caption}>
          <table>
            <caption class="hidden">{caption}</caption>
            <thead>
              <tr>
                <th scope="col">Feature</th>
                {shown.map((j) => (
                  <th key={j} scope="col" class="numeric">
                    {j + 1}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ feature, values }) => (
                <tr key={feature}>
                  <th scope="row">
                    <Untrusted text={feature} longest={LONGEST_NAME} />
                  </th>
                  {values.map((value, j) => (
                    <td key={shown[j]} class="numeric" style={{ background: colourOf(value, largest) }}>
                      <span class={hasFigures ? '' : 'hidden'}>{value.toFixed(DIGITS)}</span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </div>
    </>
  );
}

export function colourOf(value: number, largest: number): string {
  const colour = value < 0 ? 'var(--warn)' : 'var(--accent)';
  return `color-mix(in srgb, ${colour} ${strengthOf(value, largest)}%, var(--ground))`;
}
