/** The first step of a draft: a sample, the roles of its columns, and a few wishes. */

import { followingColumns, readSample, type Sample } from '@eigenveil/data-user/draft';
import { METHODS, type ProjectionKind } from '@eigenveil/methods';
import { readBlobBytes } from '@eigenveil/statistics/owner';

import type { TaskProposal } from '@eigenveil/task/schema';
import { useMemo, useState } from 'preact/hooks';
import { Button, Field, FileDrop } from '../../common/controls.tsx';
import { Notice, Problem } from '../../common/feedback.tsx';
import { inSlices } from '../../common/files.ts';
import { count } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Untrusted } from '../../common/text.tsx';
import { useAction } from '../../common/use-async.ts';
import { draftWords } from './draft-words.ts';
import {
  choiceOf,
  firstDraft,
  probableRoles,
  problemOf,
  type Role,
  warningOf,
  wishesFor,
} from './first-draft.ts';

const OWNERS = 10;

interface Wanted {
  readonly method: ProjectionKind;
  readonly components: string;
  readonly owners: string;
  readonly twoParty: Exclude<TaskProposal['twoParty'], 'simulated'>;
  /** Empty means no differential privacy. */
  readonly epsilon: string;
}

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
        hint="A CSV file (or .csv.gz) with a header row, commas, decimal points and whole rows. It is read in this page alone, and leaves your browser never: only the JSON that you create goes to the data user."
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
  const [roles, setRoles] = useState(() => probableRoles(sample, 'pca'));
  const features = roles.filter((role) => role === 'feature').length;
  const [wanted, setWanted] = useState<Wanted>(() => ({
    method: 'pca',
    twoParty: wishesFor(features).twoParty,
    components: String(wishesFor(features).components),
    owners: String(OWNERS),
    epsilon: '',
  }));
  const [error, setError] = useState<unknown>(null);
  const choice = choiceOf(sample, roles, wanted.method);
  const following = useMemo(() => {
    const chosen = choiceOf(sample, roles, wanted.method);
    return typeof chosen === 'string' ? [] : followingColumns(sample, chosen);
  }, [sample, roles, wanted.method]);
  const change = (part: Partial<Wanted>) => setWanted({ ...wanted, ...part });
  const draft = async () => {
    if (typeof choice === 'string') return;
    const { components, owners, twoParty, epsilon } = wanted;
    try {
      const wishes = {
        components: Number(components),
        owners: Number(owners),
        twoParty,
        epsilon: epsilon.trim() === '' ? null : Number(epsilon),
      };
      onDraft(file, await firstDraft(sample, choice, wishes));
      setError(null);
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <>
      <p role="status">
        {count(sample.rows, 'row')} and {count(sample.columns.length, 'column')}.
      </p>
      <div class="columns">
        <Field label="Method">
          {(attributes) => (
            <select
              {...attributes}
              value={wanted.method}
              onChange={({ currentTarget }) => {
                const method = currentTarget.value as ProjectionKind;
                const probable = probableRoles(sample, method);
                setRoles(probable);
                change({ method, components: String(probableComponents(sample, probable, method)) });
              }}
            >
              {(['pca', 'dca', 'lda', 'mdr'] as const).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
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
        <Field label="Two-party protocol">
          {(attributes) => (
            <select
              {...attributes}
              value={wanted.twoParty}
              onChange={({ currentTarget }) =>
                change({ twoParty: currentTarget.value as Wanted['twoParty'] })
              }
            >
              <option value="garbled">garbled: reveals only what is declared</option>
              <option value="rotated">rotated: far faster, reveals more</option>
            </select>
          )}
        </Field>
        <Field label="ε of differential privacy" hint="Empty: the result is exact.">
          {(attributes) => (
            <input
              {...attributes}
              inputMode="decimal"
              value={wanted.epsilon}
              onInput={({ currentTarget }) => change({ epsilon: currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <ColumnsTable sample={sample} roles={roles} method={wanted.method} set={setRoles} />
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
      {typeof choice === 'string' && (
        <p class="error" role="status">
          {choice}
        </p>
      )}
      <Problem error={error} title="No draft" words={draftWords} />
      <Button kind="main" disabled={typeof choice === 'string'} onClick={draft}>
        Write the draft
      </Button>
    </>
  );
}

/**
 * Returns the number of components to propose: for a discriminant method one less than the number of classes
 * in the sample.
 */
function probableComponents({ columns }: Sample, roles: readonly Role[], method: ProjectionKind): number {
  const features = roles.filter((role) => role === 'feature').length;
  if (method === 'pca') return wishesFor(features).components;
  const classes = columns[roles.indexOf('first')]?.labels?.length ?? 2;
  return Math.max(1, Math.min(features, classes - 1));
}

const ROLES: readonly (readonly [Role, (labellings: number) => string | null])[] = [
  ['feature', () => 'a feature'],
  ['first', (labellings) => [null, 'the labels', 'the utility labels'][labellings] ?? null],
  ['second', (labellings) => (labellings === 2 ? 'the privacy labels' : null)],
  ['out', () => 'left out'],
];

function ColumnsTable(props: {
  readonly sample: Sample;
  readonly roles: readonly Role[];
  readonly method: ProjectionKind;
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
                const name = nameOf(METHODS[method].labellings);
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
