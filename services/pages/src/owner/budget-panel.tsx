/**
 * The budget that each data set has spent, and a form in which the owner adds spending that this browser does
 * not know.
 */
import {
  type BudgetStatus,
  DatasetName,
  DEFAULT_DATASET,
  Elsewhere,
  partInWords,
} from '@eigenveil/data-owner/portable';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { DatasetField, FaultSummary, OwnerProblem, TextField } from './fields.tsx';
import type { Owner } from './owner.ts';
import { wordsByMember } from './policy-form.ts';
import { SPENT_LABELS } from './words.ts';

export function BudgetPanel({ owner }: { readonly owner: Owner }) {
  const loading = useAsync(() => owner.budget(), [owner]);
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
      {loading.state === 'done' && (
        <ul>
          {loading.value.map((status) => (
            <li key={status.dataset}>{describe(status)}</li>
          ))}
        </ul>
      )}
      <SetBudget owner={owner} onSet={loading.state === 'done' ? loading.again : () => {}} />
    </section>
  );
}

function describe({ dataset, tasks, spent, totalEpsilon, answers, isUnknown }: BudgetStatus): string {
  const amount = spent === null ? 'an ε that has no price here' : `ε ${spent.epsilon.toPrecision(4)}`;
  const total = totalEpsilon === null ? '' : ` of ${totalEpsilon}`;
  const { rotated, wholes } = answers;
  return `${dataset}: ${tasks} tasks under differential privacy have spent ${amount}${total}; without it ${rotated.given} of ${rotated.of} results by rotated were given; all tasks together have taken ${partInWords(wholes.given)} of ${wholes.of === 1 ? 'a whole' : `${wholes.of} wholes`}, and ${partInWords(wholes.left)} is left${isUnknown ? '; more was spent that is not known: say it below' : ''}`;
}

const FIELDS = Object.entries(SPENT_LABELS);

/** A form for a key that came from a backup, or was used elsewhere. */
function SetBudget({ owner, onSet }: { readonly owner: Owner; readonly onSet: () => void }) {
  const [texts, setTexts] = useState<readonly string[]>(FIELDS.map(() => '0'));
  const [dataset, setDataset] = useState(DEFAULT_DATASET);
  const [wrong, setWrong] = useState<ReadonlyMap<PropertyKey, string>>(new Map());
  const [sent, setSent] = useState(0);
  const faults = FIELDS.flatMap(([name, label]) =>
    wrong.has(name) ? [{ id: `budget-${name}`, label, words: wrong.get(name)! }] : [],
  );
  const save = useAction(async () => {
    const numbers = FIELDS.map(([name], i) => [name, name === 'part' ? texts[i]!.trim() : Number(texts[i])]);
    const elsewhere = Elsewhere.safeParse({ ...Object.fromEntries(numbers), neighbours: 'replace' });
    setWrong(elsewhere.success ? new Map() : wordsByMember(elsewhere.error));
    if (!elsewhere.success) return setSent((it) => it + 1);
    await owner.setBudget(dataset.trim(), elsewhere.data);
    onSet();
  });
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
          save.run();
        }}
      >
        <FaultSummary faults={faults} sent={sent} />
        <DatasetField value={dataset} hint="As you give it when you contribute." onValue={setDataset} />
        {FIELDS.map(([name, label], i) => (
          <TextField
            key={name}
            id={`budget-${name}`}
            label={label}
            value={texts[i]!}
            onValue={(text) => setTexts(texts.map((it, j) => (i === j ? text : it)))}
            isNumber={name !== 'part'}
            error={wrong.get(name) ?? null}
          />
        ))}
        <OwnerProblem error={save.error} />
        <Button submit busy={save.busy} disabled={!DatasetName.safeParse(dataset.trim()).success}>
          Count this, too
        </Button>
      </form>
    </details>
  );
}
