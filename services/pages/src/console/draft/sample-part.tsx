/** The first step of a draft: a sample, the roles of its columns, and a few wishes. */

import { basisFrom, followingColumns, readSample, type Sample } from '@eigenveil/data-user/draft';
import { METHODS, type MethodName } from '@eigenveil/methods';
import { readBlobBytes } from '@eigenveil/statistics/owner';
import type { TaskId } from '@eigenveil/task/ids';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, Field, FileDrop } from '../../common/controls.tsx';
import { Notice, Problem } from '../../common/feedback.tsx';
import { inSlices } from '../../common/files.ts';
import { count } from '../../common/format.ts';
import { Untrusted } from '../../common/text.tsx';
import { useAction } from '../../common/use-async.ts';
import type { ConsoleApi } from '../api.ts';
import { Faults } from '../create/faults.tsx';
import { ColumnsTable } from './columns-table.tsx';
import { draftWords } from './draft-words.ts';
import type { Drafted, Proposal } from './drafted.ts';
import { choiceOf, draftedText } from './first-draft.ts';
import { rowsOf } from './forecast.ts';
import { MembersForm } from './form.tsx';
import { faultsWithin, goTo, idAt, wordsOf } from './form-faults.ts';
import {
  draftWanted,
  faultsOf,
  flagMembers,
  NamedResultFault,
  probableComponents,
  type Sources,
  takesRanges,
  type Wanted,
  wantedFor,
} from './wanted.ts';

/** The form's place, of which the ids of its controls are made. */
const FORM = ['wish'];

interface SampleProps {
  readonly api: ConsoleApi;
  /** True where there is a draft, which the next one replaces. */
  readonly again: boolean;
  /** Called with the method of the form, and null where there is no form. */
  readonly onMethod: (method: MethodName | null) => void;
  readonly onDraft: (proposal: Proposal) => void;
}

export function SamplePart(props: SampleProps) {
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
      {given !== null && <Choices key={given.file.name + given.file.lastModified} {...given} {...props} />}
    </>
  );
}

function Choices(props: SampleProps & { readonly file: File; readonly sample: Sample }) {
  const { api, file, sample, again, onMethod, onDraft } = props;
  const [wanted, setWanted] = useState(() => wantedFor(sample, 'pca'));
  const { method, roles } = wanted;
  useEffect(() => {
    onMethod(method);
    return () => onMethod(null);
  }, [method]);
  const { isLinear, draft: form } = METHODS[method];
  const following = useMemo(() => {
    const choice = choiceOf(sample, roles, method);
    return typeof choice === 'string' ? [] : followingColumns(sample, choice);
  }, [sample, roles, method]);
  const members = useMemo(() => flagMembers(method), [method]);
  const draft = useAction(async (signal) => {
    const { proposal, notes } = await draftWanted(sample, wanted, sourcesOf(api, file, signal));
    onDraft({
      text: draftedText(proposal),
      drafted: { file, method, ranges: rangesOf(sample), following, notes },
    });
  });
  const faults = faultsOf(sample, wanted, draft.error);
  const at = (name: keyof Wanted) => {
    const own = faultsWithin(faults, name);
    return { id: idAt([...FORM, name]), error: own.length === 0 ? null : wordsOf(own) };
  };
  const change = (part: Partial<Wanted>) => setWanted({ ...wanted, ...part });
  /** True once somebody has asked for a draft that is not there yet for its faults. */
  const [isAsked, setAsked] = useState(false);
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAsked) summary.current?.focus();
  }, [isAsked]);
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
        at={[...FORM, 'flags']}
        faults={faultsWithin(faults, 'flags')}
        newObjects={{}}
      />
      <div class="columns">
        {form.hasComponents && (
          <Field
            {...at('components')}
            label="Components (optional)"
            hint={`Empty: up to ${probableComponents(sample, wanted)}, as many as the task allows.`}
          >
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
        <Field {...at('owners')} label="Owners, at most">
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
            {...at('epsilon')}
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
        {RANGE.map(([name, label]) => (
          <Field
            key={name}
            {...at(name)}
            label={label}
            hint="From domain knowledge, of every feature. Empty: what each column has in the sample."
          >
            {(attributes) => (
              <input
                {...attributes}
                inputMode="decimal"
                value={wanted[name]}
                onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
        {takesRanges(method) && (
          <Field
            {...at('rangesFrom')}
            label="Ranges from a histogram (optional)"
            hint="The id of a histogram that is done: ranges follow from its noisy counts."
          >
            {(attributes) => (
              <input
                {...attributes}
                autoComplete="off"
                spellcheck={false}
                value={wanted.rangesFrom}
                onInput={({ currentTarget }) => change({ rangesFrom: currentTarget.value })}
              />
            )}
          </Field>
        )}
      </div>
      <ColumnsTable
        {...at('roles')}
        sample={sample}
        roles={roles}
        method={method}
        set={(next) => change({ roles: next })}
      />
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
      {wanted.least.trim() === '' && wanted.rangesFrom.trim() === '' && (
        <Notice kind="warn" title="Ranges are the sample’s">
          The draft takes the least and the largest value of each feature from this file, and everybody who
          sees the task sees them. Write ranges from domain knowledge above, or into the draft, where the
          sample’s are not public.
        </Notice>
      )}
      {isAsked && faults.length > 0 && (
        <div ref={summary} tabIndex={-1}>
          <Faults
            faults={faults.map(({ path, words }) => ({
              words,
              way: { text: `Go to ${LABELS[path[0] as keyof Wanted]}`, go: () => goTo([...FORM, ...path]) },
            }))}
          />
        </div>
      )}
      <Problem
        error={draft.error instanceof NamedResultFault ? draft.error.cause : draft.error}
        title="No draft"
        words={draftWords}
      />
      {again && <p>The next draft replaces the proposal below, all but its title.</p>}
      <Button
        kind="main"
        busy={draft.busy}
        onClick={() => {
          // A result that was not there may be by now.
          const isReady = faultsOf(sample, wanted).length === 0;
          setAsked(!isReady);
          summary.current?.focus();
          if (isReady) draft.run();
        }}
      >
        Write the draft
      </Button>
    </>
  );
}

const RANGE = [
  ['least', 'Least value of every feature (optional)'],
  ['largest', 'Largest value of every feature (optional)'],
] as const;

/** The controls in the words of links. */
const LABELS: Readonly<Record<keyof Wanted, string>> = {
  method: 'the method',
  roles: 'the columns',
  flags: 'the settings of the method',
  components: 'the components',
  owners: 'the owners',
  twoParty: 'the two-party protocol',
  epsilon: 'ε',
  least: 'the least value',
  largest: 'the largest value',
  rangesFrom: 'the histogram',
};

function rangesOf({ columns }: Sample): Drafted['ranges'] {
  return new Map(
    columns.flatMap(({ name, noFeature, range }) =>
      noFeature === undefined && range !== undefined ? [[name, range] as const] : [],
    ),
  );
}

/** Reads the sample again, and fetches results from the data user, each with all that it stands on. */
function sourcesOf(api: ConsoleApi, file: File, signal: AbortSignal): Sources {
  const client = {
    signed: (taskId: TaskId) => api.signedTask({ taskId }, signal),
    signedResult: (taskId: TaskId) => api.result({ taskId }, signal),
  };
  return {
    read: rowsOf(file, signal),
    sampleIn: (range) => readSample(inSlices(readBlobBytes(file, file.name), signal), { range }),
    result: (taskId) => basisFrom(client, taskId),
  };
}
