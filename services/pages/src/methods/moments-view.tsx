/** Means, standard deviations and correlations, with intervals for the noise: the same for operators and owners. */
import { momentsInUnits } from '@eigenveil/projection/portable';
import type { TaskProposal } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { number } from '../common/format.ts';
import { Scroll, Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import { short } from './figures.ts';
import { colourOf } from './loadings-view.tsx';

/** A matrix of more features is in the files alone. */
const MOST = 30;
const DIGITS = 2;

type Moments = NonNullable<Projection['moments']>;
type Interval = Moments['rows'];

export function MomentsView(props: {
  readonly task: Pick<TaskProposal, 'features'>;
  readonly projection: { readonly moments?: Moments | undefined };
}) {
  const { task, projection } = props;
  const { moments } = projection;
  if (moments === undefined) return null;
  const { features, pairs } = momentsInUnits(task.features, { moments });
  const shown = features.slice(0, MOST);
  const caption = `Correlations${shown.length < features.length ? ` of the first ${MOST} features` : ''}`;
  const { value, from, to } = moments.rows;
  return (
    <>
      <dl class="facts">
        <dt>Rows</dt>
        <dd>
          about {number(value)} ({number(from)} to {number(to)})
        </dd>
      </dl>
      <p>
        {features.length === 0
          ? 'There are too few rows for this noise: nothing is told of features.'
          : 'Each interval holds for the noise with 95 %, and for rows as they were clipped.'}
      </p>
      <h2>Features</h2>
      <Table
        caption="Features"
        captionHidden
        rows={features}
        keyOf={({ name }) => name}
        columns={[
          { head: 'Feature', cell: ({ name }) => <Untrusted text={name} /> },
          { head: 'Mean', numeric: true, cell: ({ mean }) => inWords(mean, short) },
          { head: 'Standard deviation', numeric: true, cell: ({ deviation }) => inWords(deviation, short) },
        ]}
      />
      <h2>{caption}</h2>
      <div class="heat">
        <Scroll label={caption}>
          <table>
            <caption class="hidden">{caption}</caption>
            <thead>
              <tr>
                <th scope="col">Feature</th>
                {shown.slice(0, -1).map(({ name }) => (
                  <th key={name} scope="col" class="numeric">
                    <Untrusted text={name} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.slice(1).map(({ name }, i) => (
                <tr key={name}>
                  <th scope="row">
                    <Untrusted text={name} />
                  </th>
                  {pairs
                    .filter(({ second }) => second === i + 1)
                    .map(({ first, correlation }) =>
                      correlation === null ? (
                        <td key={first} class="numeric">
                          ?
                        </td>
                      ) : (
                        <td
                          key={first}
                          class="numeric"
                          style={{ background: colourOf(correlation.value, 1) }}
                        >
                          {inWords(correlation, (it) => it.toFixed(DIGITS))}
                        </td>
                      ),
                    )}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </div>
    </>
  );
}

const inWords = ({ value, from, to }: Interval, shown: (value: number) => string) =>
  `${shown(value)} (${shown(from)} to ${shown(to)})`;
