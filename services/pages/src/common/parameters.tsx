/** The public parameters of a task or of a proposal, in words. Other people have written all of its texts. */
import { methodOf } from '@eigenveil/methods';
import type { TaskProposal } from '@eigenveil/task/schema';
import { count, number } from './format.ts';
import { Table } from './table.tsx';
import { LONGEST_TITLE } from './task-name.tsx';
import { floorWords, OUTPUTS, privacyWords } from './task-words.ts';
import { Grouped, Json, Moment, Untrusted } from './text.tsx';

const PROTOCOLS: Readonly<Record<TaskProposal['twoParty'], string>> = {
  garbled: 'garbled: garbled circuits',
  rotated: 'rotated: faster, and tells more than is declared',
  linear: 'linear: noisy counts',
  simulated: 'simulated: NOT private, for tests',
};

const CLOSES: Readonly<Record<NonNullable<TaskProposal['closes']>[number], string>> = {
  deadline: 'by itself at the deadline',
  full: 'by itself with the largest number of owners',
};

/** Members of a method that its words tell. */
const TOLD = new Set(['kind', 'scale', 'height']);

const RESULT_GOES_TO = {
  operator: { all: 'you, and the owners who contributed', dataUser: 'you alone' },
  owner: { all: 'the data user, and the owners who contributed', dataUser: 'the data user alone' },
} as const;

/**
 * @param now by the clock of the service
 * @param id of a task that was created; the JSON is saved under it
 * @param reader whom the words are for
 */
export function Parameters(props: {
  readonly task: TaskProposal;
  readonly now: Date;
  readonly id?: string;
  readonly reader?: keyof typeof RESULT_GOES_TO;
}) {
  const { task, now, id, reader = 'operator' } = props;
  const { method, features, labellings, differentialPrivacy } = task;
  const { words } = methodOf(task);
  const floor = floorWords(task);
  return (
    <>
      <dl class="facts">
        {task.title !== undefined && (
          <>
            <dt>Title</dt>
            <dd>
              <Untrusted text={task.title} longest={LONGEST_TITLE} />
            </dd>
          </>
        )}
        <dt>Method</dt>
        <dd>
          {words.title}
          {words.matrix}, <Untrusted text={words.size(task)} />
          {Object.entries(method).map(([name, value]) => !TOLD.has(name) && `, ${name} ${String(value)}`)}
          {task.sketch !== undefined && `, a sketch of ${task.sketch.columns} columns`}
        </dd>
        <dt>Features</dt>
        <dd>{number(features.length)}</dd>
        {task.rangesFrom !== undefined && (
          <>
            <dt>Ranges</dt>
            <dd>
              follow, says the data user, from the noisy counts with the digest{' '}
              <Grouped value={task.rangesFrom} />
            </dd>
          </>
        )}
        {labellings.map(({ column, classes }, i) => (
          <LabellingFacts
            key={column}
            name={labellings.length === 1 ? 'Labels' : ['Utility labels', 'Privacy labels'][i]!}
            column={column}
            classes={classes}
          />
        ))}
        <dt>Owners</dt>
        <dd>
          {number(task.minimumOwners)} to {number(task.maximumOwners)}, each with at most{' '}
          {count(task.maximumSamplesPerOwner, 'row')}
        </dd>
        <dt>Privacy of the result</dt>
        <dd>{privacyWords(differentialPrivacy)}</dd>
        <dt>Two-party protocol</dt>
        <dd>{PROTOCOLS[task.twoParty]}</dd>
        <dt>Also in the result</dt>
        <dd>
          {task.outputs.length === 0
            ? `nothing but ${words.result}`
            : task.outputs.map((it) => OUTPUTS[it]).join(', ')}
        </dd>
        {floor !== null && (
          <>
            <dt>Floor</dt>
            <dd>{floor}</dd>
          </>
        )}
        {task.allowFullRank && task.exact === false && (
          <>
            <dt>Consent</dt>
            <dd>The result may tell the whole scatter matrix.</dd>
          </>
        )}
        <dt>Who gets the result</dt>
        <dd>{RESULT_GOES_TO[reader][task.releaseToOwners ? 'all' : 'dataUser']}</dd>
        <dt>Key</dt>
        <dd>
          {number(task.keyBits)} bits{task.keyBits < 2048 && ': NOT safe, for tests'}, {task.encryption}{' '}
          encryption, σ = {task.statisticalSecurityBits}
        </dd>
        <dt>Deadline</dt>
        <dd>
          <Moment at={task.deadline} now={now} />
        </dd>
        <dt>Closes</dt>
        <dd>{closingWords(task)}</dd>
      </dl>
      <details>
        <summary>Features and their ranges</summary>
        <Table
          caption="Features and their ranges"
          captionHidden
          rows={features}
          keyOf={(_, i) => i}
          columns={[
            { head: 'Name', cell: ({ name }) => <Untrusted text={name} /> },
            { head: 'Least', numeric: true, cell: ({ min }) => String(min) },
            { head: 'Largest', numeric: true, cell: ({ max }) => String(max) },
            { head: 'Two values only', cell: (it) => (it.twoValued === false ? 'no' : 'perhaps') },
            { head: 'Grain', numeric: true, cell: ({ grain }) => String(grain ?? '') },
          ]}
        />
      </details>
      <details>
        <summary>As JSON</summary>
        <Json
          label="The task as JSON"
          value={task}
          {...(id === undefined ? {} : { filename: `task-${id}.json` })}
        />
      </details>
    </>
  );
}

function closingWords({ closes = [] }: TaskProposal): string {
  const when = closes.map((it) => CLOSES[it]);
  return [...when, 'when the data user’s operator says so'].join(', ');
}

function LabellingFacts(props: {
  readonly name: string;
  readonly column: string;
  readonly classes: readonly string[];
}) {
  const { name, column, classes } = props;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        column <Untrusted text={column} />, {count(classes.length, 'class', 'classes')}:{' '}
        {classes.slice(0, 10).map((it, i) => (
          <span key={it}>
            {i > 0 && ', '}
            <Untrusted text={it} longest={40} />
          </span>
        ))}
        {classes.length > 10 && ' …'}
      </dd>
    </>
  );
}
