/** The stages of a task, and the progress of the current one. */
import type { TaskProgress } from '@eigenveil/wire/console';
import { Progress } from '../../common/feedback.tsx';
import { duration } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Moment } from '../../common/text.tsx';
import { StateMark } from '../state-mark.tsx';
import { isFinal, STATES } from '../words.ts';

export function Stages({ progress, now }: { readonly progress: TaskProgress; readonly now: Date }) {
  const { stages, computation } = progress;
  return (
    <>
      {computation !== null && <Computation computation={computation} />}
      <Table
        caption="Stages so far"
        captionHidden
        rows={stages}
        keyOf={({ startedAt, state }) => `${state} ${startedAt}`}
        columns={[
          { head: 'Stage', cell: ({ state }) => <StateMark state={state} /> },
          { head: 'What it is', cell: ({ state }) => STATES[state].says },
          { head: 'Began', cell: ({ startedAt }) => <Moment at={startedAt} now={now} /> },
          { head: 'Lasted', cell: (stage) => lasted(stage, now) },
          {
            head: 'Of it work',
            cell: ({ milliseconds }) => (milliseconds === null ? '' : duration(milliseconds)),
          },
        ]}
      />
    </>
  );
}

function lasted({ state, startedAt, endedAt }: TaskProgress['stages'][number], now: Date): string {
  if (isFinal(state)) return '';
  const end = endedAt === null ? now : new Date(endedAt);
  const words = duration(Math.max(0, end.getTime() - Date.parse(startedAt)));
  return endedAt === null ? `${words} so far` : words;
}

function Computation({ computation }: { readonly computation: NonNullable<TaskProgress['computation']> }) {
  const { unit, done, planned, secondsLeft } = computation;
  return (
    <>
      <Progress label="Two-party computation" done={done} planned={planned} unit={unit} />
      <p>
        {secondsLeft === null
          ? 'The time that is left is not known yet.'
          : `About ${duration(1000 * Math.max(1, Math.round(secondsLeft)))} left.`}
      </p>
    </>
  );
}
