/**
 * A result in a few facts: what was computed from whose rows, the noise, the number of rows if it was
 * declared, and remarks to read before anybody relies on it.
 */
import { listComponents, type Remark, rowsInWords } from '@eigenveil/data-user/result';
import { methodOf } from '@eigenveil/methods';
import { deviationOfRows } from '@eigenveil/task';
import { Notice } from '../../common/feedback.tsx';
import { capital, count, number } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Untrusted } from '../../common/text.tsx';
import { noiseWords } from './noise-words.ts';
import type { CheckedResult } from './verify.ts';

export function Summary(props: { readonly checked: CheckedResult; readonly remarks: readonly Remark[] }) {
  const { checked, remarks } = props;
  const { task, projection, provenance } = checked;
  const { features, sampleCount, converged } = projection;
  const { decomposes, words } = methodOf(task);
  const deviation = deviationOfRows(task, provenance.verifiedOwners);
  return (
    <>
      <dl class="facts">
        <dt>Method</dt>
        <dd>
          {words.title}
          {words.matrix}, by {task.twoParty}
          {task.twoParty === 'simulated' && ' (NOT private)'}
        </dd>
        <dt>Features</dt>
        <dd>{number(features.length)}</dd>
        <dt>Owners</dt>
        <dd>{count(provenance.verifiedOwners, 'owner')}, as the CSP has verified</dd>
        <dt>Rows</dt>
        <dd>
          {sampleCount === undefined
            ? 'not known: the task does not declare "sampleCount"'
            : `${rowsInWords(number(sampleCount), deviation)}${deviation === 0 ? '' : ' (two deviations of the noise)'}`}
        </dd>
        <dt>Noise</dt>
        <dd>{noiseWords(task, projection)}</dd>
        {decomposes !== undefined && (
          <>
            <dt>Found</dt>
            <dd>
              {converged === undefined || converged.every(Boolean)
                ? 'all components'
                : `${number(converged.filter(Boolean).length)} of ${count(converged.length, 'component')}`}
            </dd>
          </>
        )}
      </dl>
      {remarks.length > 0 && (
        <Notice kind="warn" title="Know this before you rely on it">
          <ul>
            {remarks.map(({ code, components, text }) => (
              <li key={`${code} ${components[0]}`}>
                {capital(listComponents(components))}: {text}.
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <ClassCounts checked={checked} />
    </>
  );
}

function ClassCounts({ checked: { task, projection, provenance } }: { readonly checked: CheckedResult }) {
  const { classCounts } = projection;
  if (classCounts === undefined) return null;
  const deviation = deviationOfRows(task, provenance.verifiedOwners);
  return (
    <>
      {task.labellings.map(({ column, classes }, l) => {
        const caption = `Rows by class, of ${task.labellings.length === 1 ? 'the labels' : ['the utility labels', 'the privacy labels'][l]}${deviation === 0 ? '' : ', with two deviations of the noise'}`;
        return (
          <Table
            key={column}
            caption={caption}
            rows={classes}
            keyOf={(_, k) => k}
            columns={[
              { head: 'Class', cell: (name) => <Untrusted text={name} /> },
              {
                head: 'Rows',
                numeric: true,
                cell: (name) => rowsInWords(number(classCounts[l]![classes.indexOf(name)]!), deviation),
              },
            ]}
          />
        );
      })}
    </>
  );
}
