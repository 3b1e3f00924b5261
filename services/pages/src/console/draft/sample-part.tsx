/** The first step of a draft: a sample, the roles of its columns, and a few wishes. */

import { followingColumns, readSample, type Sample } from '@eigenveil/data-user/draft';
import { METHODS, type MethodName } from '@eigenveil/methods';
import { readBlobBytes } from '@eigenveil/statistics/owner';
import { useMemo, useState } from 'preact/hooks';
import { Button, Field, FileDrop } from '../../common/controls.tsx';
import { Notice, Problem } from '../../common/feedback.tsx';
import { inSlices } from '../../common/files.ts';
import { count } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Untrusted } from '../../common/text.tsx';
import { useAction } from '../../common/use-async.ts';
import { draftWords } from './draft-words.ts';
import { choiceOf, problemOf, type Role, targetFlag, warningOf } from './first-draft.ts';
import { MembersForm } from './form.tsx';
import { draftWanted, faultsOf, flagMembers, type Wanted, wantedFor } from './wanted.ts';

/** @param onDraft told the file, of which forecasts are made, and the JSON */
export function SamplePart(props: { readonly onDraft: (file: File, text: string) => void }) {
  const [given, setGiven] = useState<{ readonly file: File; readonly sample: Sample } | null>(null);
  const read = useAction(async (signal, file: File) => {
    setGiven(null);
    setGiven({ file, sample: await readSample(inSlices(readBlobBytes(file, file.name), signal)) });
  });
  return (
    <>
      <FileDrop
        label="Sample"
        hint="A CSV file (or .csv.gz) with a header row, commas, decimal points and whole rows. It is read in this page alone, and never leaves your browser: only the JSON that you create goes to the data user."
        accept=".csv,.gz,text/csv"
        busy={read.busy}
        onFile={read.run}
      />
      <Problem error={read.error} title="The sample was not read" words={draftWords} />
      {given !== null && (
        <Choices key={given.file.name + given.file.lastModified} {...given} onDraft={props.onDraft} />
      )}
    </>
  );
}

function Choices(props: {
  readonly file: File;
  readonly sample: Sample;
  readonly onDraft: (file: File, text: string) => void;
}) {
  const { file, sample, onDraft } = props;
  const [wanted, setWanted] = useState(() => wantedFor(sample, 'pca'));
  const { method, roles } = wanted;
  const { isLinear, draft: form } = METHODS[method];
  const following = useMemo(() => {
    const choice = choiceOf(sample, roles, method);
    return typeof choice === 'string' ? [] : followingColumns(sample, choice);
  }, [sample, roles, method]);
  const members = useMemo(() => flagMembers(method), [method]);
  const { fault, flags: faults } = faultsOf(sample, wanted);
  const change = (part: Partial<Wanted>) => setWanted({ ...wanted, ...part });
  const draft = useAction(async () => onDraft(file, await draftWanted(sample, wanted)));
  return (
    <>
      <p role="status">
        {count(sample.rows, 'row')} and {count(sample.columns.length, 'column')}.
      </p>
      <Field label="Method" hint={`It ${form.purpose}.`}>
        {(attributes) => (
          <select
            {...attributes}
            value={method}
            onChange={({ currentTarget }) =>
              setWanted(wantedFor(sample, currentTarget.value as MethodName, wanted))
            }
          >
            {Object.keys(METHODS).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <MembersForm
        key={method}
        members={members}
        value={wanted.flags}
        set={(next) => change({ flags: next })}
        faults={faults}
        newObjects={{}}
      />
      <div class="columns">
        {form.hasComponents && (
          <Field label="Components">
            {(attributes) => (
              <input
                {...attributes}
                inputMode="numeric"
                value={wanted.components}
                onInput={({ currentTarget }) => change({ components: currentTarget.value })}
              />
            )}
          </Field>
        )}
        <Field label="Owners, at most">
          {(attributes) => (
            <input
              {...attributes}
              inputMode="numeric"
              value={wanted.owners}
              onInput={({ currentTarget }) => change({ owners: currentTarget.value })}
            />
          )}
        </Field>
        {!isLinear && (
          <Field label="Two-party protocol">
            {(attributes) => (
              <select
                {...attributes}
                value={wanted.twoParty}
                onChange={({ currentTarget }) =>
                  change({ twoParty: currentTarget.value as Wanted['twoParty'] })
                }
              >
                <option value="">one that computes the method</option>
                <option value="garbled">garbled: reveals only what is declared</option>
                <option value="rotated">rotated: far faster, reveals more</option>
              </select>
            )}
          </Field>
        )}
        {form.takesEpsilon && (
          <Field
            label="ε of differential privacy"
            hint={isLinear ? 'The noise of its sums is made for it.' : 'Empty: the result is exact.'}
          >
            {(attributes) => (
              <input
                {...attributes}
                inputMode="decimal"
                value={wanted.epsilon}
                onInput={({ currentTarget }) => change({ epsilon: currentTarget.value })}
              />
            )}
          </Field>
        )}
      </div>
      <ColumnsTable sample={sample} roles={roles} method={method} set={(next) => change({ roles: next })} />
      {following.length > 0 && (
        <Notice kind="warn" title="Columns follow from others">
          Leave them out above: they say nothing of their own, and the noise of the floor averages away by
          them.
          <ul>
            {following.map(({ name, why }) => (
              <li key={name}>
                <Untrusted text={`${name} ${why}`} longest={300} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Notice kind="warn" title="Ranges are the sample’s">
        The draft takes the least and the largest value of each feature from this file, and everybody who sees
        the task sees them. Write ranges from domain knowledge below where the sample’s are not public.
      </Notice>
      {fault !== null && (
        <p class="error" role="status">
          {fault}
        </p>
      )}
      <Problem error={draft.error} title="No draft" words={draftWords} />
      <Button
        kind="main"
        busy={draft.busy}
        disabled={fault !== null || faults.size > 0}
        onClick={() => draft.run()}
      >
        Write the draft
      </Button>
    </>
  );
}

const ROLES: readonly (readonly [Role, (labellings: number, predicts: boolean) => string | null])[] = [
  ['feature', () => 'a feature'],
  ['target', (_, predicts) => (predicts ? 'what is predicted' : null)],
  ['first', (labellings) => [null, 'the labels', 'the utility labels'][labellings] ?? null],
  ['second', (labellings) => (labellings === 2 ? 'the privacy labels' : null)],
  ['out', () => 'left out'],
];

function ColumnsTable(props: {
  readonly sample: Sample;
  readonly roles: readonly Role[];
  readonly method: MethodName;
  readonly set: (roles: Role[]) => void;
}) {
  const { sample, roles, method, set } = props;
  const rows = sample.columns.map((column, i) => ({ column, i, role: roles[i]! }));
  return (
    <Table
      caption="What the columns are for"
      rows={rows}
      keyOf={({ i }) => i}
      columns={[
        { head: 'Column', cell: ({ column }) => <Untrusted text={column.name} longest={40} /> },
        {
          head: 'It is',
          cell: ({ column, i, role }) => (
            <select
              aria-label={`What column ${i + 1} is`}
              value={role}
              onChange={({ currentTarget }) => set([...roles].with(i, currentTarget.value as Role))}
            >
              {ROLES.map(([value, nameOf]) => {
                const name = nameOf(METHODS[method].labellings, targetFlag(method) !== undefined);
                if (name === null) return null;
                return (
                  <option key={value} value={value} disabled={problemOf(column, value) !== null}>
                    {name}
                  </option>
                );
              })}
            </select>
          ),
        },
        {
          head: 'In the sample',
          cell: ({ column, role }) => (
            <>
              {column.noFeature === undefined && column.range !== undefined
                ? `numbers from ${column.range.min} to ${column.range.max}`
                : `texts${column.labels === undefined ? '' : `, ${count(column.labels.length, 'different one')}`}`}
              {role === 'out' &&
                column.noFeature !== undefined &&
                `; no feature, for ${problemOf(column, 'feature')}`}
              {column.labelLike !== undefined && role !== 'feature' && '; it looks like labels'}
              {warningOf(column, role) !== null && (
                <>
                  . <strong>Take care:</strong> {warningOf(column, role)}
                </>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
