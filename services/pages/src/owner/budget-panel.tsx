/**
 * The budget that each data set has spent, and a form in which the owner adds spending that this browser does
 * not know.
 */
import { type BudgetStatus, DEFAULT_DATASET, Elsewhere, partInWords } from '@eigenveil/data-owner/portable';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Table } from '../common/table.tsx';
import { NEIGHBOURS } from '../common/task-words.ts';
import { useAction, useAsync } from '../common/use-async.ts';
import { datasetFaults, FaultSummary, OwnerProblem, TextField, useFaults } from './fields.tsx';
import type { Owner } from './owner.ts';
import { noNumber, wordsByMember } from './policy-form.ts';
import { FILE_LABELS, SPENT_LABELS } from './words.ts';

export function BudgetPanel({ owner }: { readonly owner: Owner }) {
  const loading = useAsync(() => owner.budget(), [owner]);
  const unknown = loading.state === 'done' ? loading.value.filter(({ isUnknown }) => isUnknown) : [];
  return (
    <section>
      <h2>What your rows have spent</h2>
      <p>
        A task counts from the moment before it was first sent, whatever became of it. Rows that have one name
        are counted together. A whole belongs to rows: rows that are added to them do not renew it, and
        another name is for rows none of which was used.
      </p>
      {loading.state === 'failed' && <OwnerProblem error={loading.error} />}
      {loading.state === 'done' && loading.value.length === 0 && <p>Nothing yet.</p>}
      {loading.state === 'done' && loading.value.length > 0 && (
        <Table
          caption="What your rows have spent"
          captionHidden
          stacks
          rows={loading.value}
          keyOf={({ dataset }) => dataset}
          columns={[
            { head: 'Rows', cell: ({ dataset }) => dataset },
            { head: 'Taken of the whole', numeric: true, cell: wholesInWords },
            {
              head: 'Left of it',
              numeric: true,
              cell: ({ answers }) => partInWords(answers.wholes.left),
            },
            {
              head: 'Tasks under differential privacy',
              numeric: true,
              cell: ({ tasks }) => tasks,
            },
            { head: 'Their ε', numeric: true, cell: epsilonInWords },
            {
              head: 'Results by rotated without it',
              numeric: true,
              cell: ({ answers: { rotated } }) => `${rotated.given} of ${rotated.of}`,
            },
          ]}
        />
      )}
      {loading.state === 'done' && loading.value.some(isAddedUp) && (
        <p>
          The ε of tasks is added up about {NEIGHBOURS.replace}. A guarantee about {NEIGHBOURS['add-remove']}{' '}
          counts at least twice there, since a row that is replaced is one that goes and one that comes. So
          the sum can be more than twice the ε that your tasks say.
        </p>
      )}
      {unknown.length > 0 && (
        <p>
          More was spent that is not known of {unknown.map(({ dataset }) => `“${dataset}”`).join(', ')}: say
          it below.
        </p>
      )}
      <SetBudget owner={owner} onSet={loading.state === 'done' ? loading.again : () => {}} />
    </section>
  );
}

const isAddedUp = ({ tasks, neighbours }: BudgetStatus): boolean => tasks > 0 && neighbours === 'replace';

function epsilonInWords({ spent, totalEpsilon }: BudgetStatus): string {
  const amount = spent === null ? 'not counted here' : String(Number(spent.epsilon.toPrecision(4)));
  return totalEpsilon === null ? amount : `${amount} of ${totalEpsilon}`;
}

function wholesInWords({ answers: { wholes } }: BudgetStatus): string {
  return wholes.of === 1 ? partInWords(wholes.given) : `${partInWords(wholes.given)} of ${wholes.of}`;
}

const FIELDS = Object.entries(SPENT_LABELS);

/** A form for a key that came from a backup, or was used elsewhere. */
function SetBudget({ owner, onSet }: { readonly owner: Owner; readonly onSet: () => void }) {
  const [texts, setTexts] = useState<readonly string[]>(FIELDS.map(() => '0'));
  const [dataset, setDataset] = useState(DEFAULT_DATASET);
  const numbers = FIELDS.map(([name], i) => {
    const text = texts[i]!.trim();
    return [name, name === 'part' ? text : text === '' ? Number.NaN : Number(text)] as const;
  });
  const elsewhere = Elsewhere.safeParse({ ...Object.fromEntries(numbers), neighbours: 'replace' });
  const wrong = elsewhere.success ? null : wordsByMember(elsewhere.error);
  const save = useAction(async () => {
    await owner.setBudget(dataset.trim(), elsewhere.data!);
    onSet();
  });
  const form = useFaults(
    [
      ...datasetFaults('budget-dataset', dataset),
      ...FIELDS.flatMap(([name, label], i) => {
        const words = Number.isNaN(numbers[i]![1]) ? noNumber(texts[i]!) : wrong?.get(name);
        return words === undefined ? [] : [{ id: `budget-${name}`, label, words }];
      }),
    ],
    save.run,
  );
  return (
    <details>
      <summary>Something was spent that is not counted here</summary>
      <p>
        A key that came from a backup does not know what it has contributed since. The CSP has counted it, so
        that nothing is sent before you say how much it was: rather too much than too little. It cannot be
        made less later.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <FaultSummary {...form.summary} />
        <TextField
          id="budget-dataset"
          label={FILE_LABELS.dataset}
          hint="As you give it when you contribute."
          value={dataset}
          error={form.wrong('budget-dataset')}
          onValue={setDataset}
        />
        {FIELDS.map(([name, label], i) => (
          <TextField
            key={name}
            id={`budget-${name}`}
            label={label}
            value={texts[i]!}
            onValue={(text) => setTexts(texts.map((it, j) => (i === j ? text : it)))}
            isNumber={name !== 'part'}
            error={form.wrong(`budget-${name}`)}
          />
        ))}
        <OwnerProblem error={save.error} />
        <Button submit busy={save.busy}>
          Count this, too
        </Button>
      </form>
    </details>
  );
}
