/** The owner's policy, in words: the rules that a task must keep before one of the rows is read. */
import { OwnerPolicy } from '@eigenveil/data-owner/portable';
import { parseJson } from '@eigenveil/wire/errors';
import { explainIssues } from '@eigenveil/wire/explain';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { View } from '../common/layout.tsx';
import { Json } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { BudgetPanel } from './budget-panel.tsx';
import { Check, Choice, FileField, OwnerProblem, TextField } from './fields.tsx';
import type { Owner } from './owner.ts';
import { draftOf, MEMBERS, type MemberField, type PolicyDraft, policyOf } from './policy-form.ts';

export function PolicyView({ owner }: { readonly owner: Owner }) {
  const loading = useAsync(() => owner.state.policy(), [owner]);
  return (
    <View title="Your policy" name="Policy">
      <p>
        A task that breaks one of these rules is refused before anything of your file is read. The page begins
        with safe rules; what you allow, you allow for all tasks.
      </p>
      {loading.state === 'failed' && <OwnerProblem error={loading.error} />}
      {loading.state === 'done' && <PolicyForm owner={owner} kept={loading.value} />}
      <BudgetPanel owner={owner} />
    </View>
  );
}

function PolicyForm({ owner, kept }: { readonly owner: Owner; readonly kept: OwnerPolicy }) {
  const [draft, setDraft] = useState(draftOf(kept));
  const [isKept, setKept] = useState(false);
  const [unread, setUnread] = useState<string | null>(null);
  const read = policyOf(draft);
  const change = (next: PolicyDraft) => {
    setDraft(next);
    setKept(false);
  };
  const keep = useAction(async () => {
    if (!('policy' in read)) return;
    await owner.state.savePolicy(read.policy);
    setKept(true);
  });
  const take = async (file: File | null) => {
    if (file === null) return;
    const policy = OwnerPolicy.safeParse(parseJson(await file.text()));
    setUnread(policy.success ? null : explainIssues(policy.error, 'policy'));
    if (policy.success) change(draftOf(policy.data));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        keep.run();
      }}
    >
      {MEMBERS.map(({ title, fields }) => (
        <section key={title}>
          <h2>{title}</h2>
          {fields.map((field) => (
            <Member key={field.name} field={field} draft={draft} change={change} />
          ))}
        </section>
      ))}
      {'problem' in read && (
        <Notice kind="bad" title="This is no policy yet" live>
          {read.problem}
        </Notice>
      )}
      <OwnerProblem error={keep.error} />
      <Button kind="main" submit busy={keep.busy} disabled={'problem' in read}>
        Keep this policy
      </Button>
      {isKept && <Notice kind="good" title="The policy is kept, and counts from now on" live />}
      <details>
        <summary>The policy as a file</summary>
        <p>It is the file that the command line takes with --policy.</p>
        {'policy' in read && <Json label="Policy" value={read.policy} filename="policy.json" />}
        <FileField label="Take the rules from a file" accept=".json" onFile={(file) => void take(file)} />
        {unread !== null && (
          <Notice kind="bad" title="The file holds no policy" live>
            {unread}
          </Notice>
        )}
      </details>
    </form>
  );
}

function Member(props: {
  readonly field: MemberField;
  readonly draft: PolicyDraft;
  readonly change: (next: PolicyDraft) => void;
}) {
  const { field, draft, change } = props;
  const { name, label, hint } = field;
  const value = draft[name];
  const set = (next: string | boolean | readonly string[]) => change({ ...draft, [name]: next });
  switch (field.kind) {
    case 'number':
      return <TextField label={label} hint={hint} value={String(value)} onValue={set} isNumber />;
    case 'names':
      return <TextField label={label} hint={hint} value={String(value)} onValue={set} />;
    case 'check':
      return <Check label={label} hint={hint} checked={value === true} onChecked={set} />;
    case 'choice':
      return <Choice label={label} hint={hint} value={String(value)} options={field.options} onValue={set} />;
    case 'numbers': {
      const texts = value as readonly string[];
      return (
        <fieldset>
          <legend>{label}</legend>
          <p class="hint">{hint}</p>
          {field.parts.map(([part, words], i) => (
            <TextField
              key={part}
              label={words}
              value={texts[i]!}
              onValue={(text) => set(texts.map((it, j) => (i === j ? text : it)))}
              isNumber
            />
          ))}
        </fieldset>
      );
    }
    case 'several': {
      const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
      return (
        <fieldset>
          <legend>{label}</legend>
          <p class="hint">{hint}</p>
          {field.options.map(([option, words]) => (
            <Check
              key={option}
              label={words}
              checked={chosen.includes(option)}
              onChecked={(on) => set(on ? [...chosen, option] : chosen.filter((it) => it !== option))}
            />
          ))}
        </fieldset>
      );
    }
  }
}
