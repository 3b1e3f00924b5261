/** The owner's policy, in words: the rules that a task must keep before one of the rows is read. */
import type { OwnerPolicy } from '@eigenveil/data-owner/portable';
import type { TaskId } from '@eigenveil/task';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { textOf } from '../common/files.ts';
import { View } from '../common/layout.tsx';
import { Json, Untrusted } from '../common/text.tsx';
import { useAction, useAsync } from '../common/use-async.ts';
import { BudgetPanel } from './budget-panel.tsx';
import { Check, Choice, FaultSummary, FileField, OwnerProblem, TextField } from './fields.tsx';
import type { Owner } from './owner.ts';
import { policyOfFile } from './policy-file.ts';
import {
  controlOf,
  draftOf,
  MEMBERS,
  type MemberField,
  type PolicyDraft,
  type PolicyFault,
  PRESETS,
  policyOf,
} from './policy-form.ts';
import { routes } from './routes.ts';

/** The rules that somebody has filled in and not saved, which a look at another view must not lose. */
const drafts = new WeakMap<Owner, PolicyDraft>();

interface PolicyProps {
  readonly owner: Owner;
  /** The task that somebody has come from; null if none. */
  readonly taskId: TaskId | null;
}

export function PolicyView({ owner, taskId }: PolicyProps) {
  const loading = useAsync(() => owner.state.policy(), [owner]);
  return (
    <View title="Your policy" name="Policy">
      <p>
        A task that breaks one of these rules is refused before anything of your file is read. The page begins
        with safe rules; what you allow here, you allow for all tasks. You can allow something for one task
        alone at that task.
      </p>
      {loading.state === 'failed' && <OwnerProblem error={loading.error} />}
      {loading.state === 'done' && <PolicyForm owner={owner} taskId={taskId} kept={loading.value} />}
      <BudgetPanel owner={owner} />
    </View>
  );
}

function PolicyForm({ owner, taskId, kept }: PolicyProps & { readonly kept: OwnerPolicy }) {
  const [draft, setDraft] = useState(drafts.get(owner) ?? draftOf(kept));
  const [saved, setSaved] = useState(kept);
  const isUnsaved = drafts.has(owner);
  const [isBack, setBack] = useState(isUnsaved);
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
  const [isKept, setKept] = useState(false);
  const [unread, setUnread] = useState<readonly string[]>([]);
  const [sent, setSent] = useState(0);
  const [filled, setFilled] = useState<{
    readonly from: 'preset' | 'file';
    readonly name: string;
  } | null>(null);
  const read = policyOf(draft);
  const faults = 'faults' in read ? read.faults : [];
  const change = (next: PolicyDraft) => {
    drafts.set(owner, next);
    setDraft(next);
    setKept(false);
    setFilled(null);
  };
  const keep = useAction(async () => {
    if (!('policy' in read)) return;
    await owner.state.savePolicy(read.policy);
    drafts.delete(owner);
    setSaved(read.policy);
    setBack(false);
    setKept(true);
  });
  const take = useAction(async (_gone, file: File | null) => {
    setUnread([]);
    if (file === null) return;
    const held = policyOfFile(await textOf(file));
    if ('faults' in held) return setUnread(held.faults);
    change(draftOf(held.policy));
    setFilled({ from: 'file', name: file.name });
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (faults.length > 0) setSent((it) => it + 1);
        else keep.run();
      }}
    >
      <FaultSummary
        sent={sent}
        faults={faults.map(({ member, place, label, words }) => ({
          id: controlOf(member, place),
          label,
          words,
        }))}
      />
      {isBack && (
        <Notice kind="warn" title="What you have changed here before is not saved yet">
          <p>It is filled in below, and counts once you save it.</p>
          <Button
            onClick={() => {
              drafts.delete(owner);
              setDraft(draftOf(saved));
              setBack(false);
            }}
          >
            Undo the changes
          </Button>
        </Notice>
      )}
      <section>
        <h2>Rules to begin with</h2>
        {Object.values(PRESETS).map(({ title, words, policy }) => (
          <p key={title}>
            <Button
              onClick={() => {
                change(draftOf(policy));
                setFilled({ from: 'preset', name: title });
              }}
            >
              {title}
            </Button>{' '}
            {words}
          </p>
        ))}
        <p role="status">
          {filled?.from === 'preset' &&
            `The rules “${filled.name}” are filled in below. They count once you save them.`}
        </p>
      </section>
      {MEMBERS.map(({ title, fields }) => (
        <section key={title}>
          <h2>{title}</h2>
          {fields.map((field) => (
            <Member
              key={field.name}
              field={field}
              draft={draft}
              change={change}
              faults={faults.filter(({ member }) => member === field.name)}
            />
          ))}
        </section>
      ))}
      <OwnerProblem error={keep.error} />
      <Button kind="main" submit busy={keep.busy}>
        Save policy
      </Button>
      {isKept && (
        <Notice kind="good" title="The policy is saved, and counts from now on" live>
          <p>
            {taskId === null ? (
              <a href={routes.href('tasks', {})}>Go on with your tasks</a>
            ) : (
              <a href={routes.href('task', { taskId })}>Go back to the task</a>
            )}
          </p>
        </Notice>
      )}
      <details>
        <summary>The policy as a file</summary>
        <p>Your organisation may have such a file for all of its owners. The command line takes it, too.</p>
        {'policy' in read && <Json label="Policy" value={read.policy} filename="policy.json" />}
        <FileField label="Take the rules from a file" accept=".json" onFile={take.run} />
        <p role="status">
          {filled?.from === 'file' && (
            <>
              The rules of <Untrusted text={filled.name} /> are filled in above. They count once you save
              them.
            </>
          )}
        </p>
        <OwnerProblem error={take.error} title="The file was not read" />
        {unread.length > 0 && (
          <Notice kind="bad" title="The file holds no policy" live>
            <ul>
              {unread.map((fault) => (
                <li key={fault}>
                  <Untrusted text={fault} longest={400} />
                </li>
              ))}
            </ul>
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
  readonly faults: readonly PolicyFault[];
}) {
  const { field, draft, change, faults } = props;
  const { name, label, hint } = field;
  const wrong = (place: number | null = null) => ({
    id: controlOf(name, place),
    error: faults.find((it) => it.place === place)?.words ?? null,
  });
  const value = draft[name];
  const set = (next: string | boolean | readonly string[]) => change({ ...draft, [name]: next });
  switch (field.kind) {
    case 'number':
      return (
        <TextField label={label} hint={hint} value={String(value)} onValue={set} isNumber {...wrong()} />
      );
    case 'names': {
      const texts = value as readonly string[];
      return <Names field={field} texts={texts} set={set} wrong={wrong} />;
    }
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
              {...wrong(i)}
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

/** Names of the owner's choice, each with its value, and room for one more. */
function Names(props: {
  readonly field: Extract<MemberField, { readonly kind: 'names' }>;
  readonly texts: readonly string[];
  readonly set: (texts: readonly string[]) => void;
  readonly wrong: (place: number) => { readonly id: string; readonly error: string | null };
}) {
  const { field, texts, set, wrong } = props;
  const [nameHeading, valueHeading] = field.headings;
  const rows = Array.from({ length: texts.length / 2 + 1 }, (_, row) => 2 * row);
  const put = (place: number, text: string) => {
    const all = [...texts, '', ''];
    all[place] = text;
    const isUsed = all.at(-2) !== '' || all.at(-1) !== '';
    set(isUsed ? all : all.slice(0, -2));
  };
  return (
    <fieldset>
      <legend>{field.label}</legend>
      <p class="hint">{field.hint}</p>
      {rows.map((place) => (
        <div class="columns" key={place}>
          <TextField
            label={`${nameHeading} ${place / 2 + 1}`}
            value={texts[place] ?? ''}
            onValue={(text) => put(place, text)}
          />
          <TextField
            label={`${valueHeading} ${place / 2 + 1}`}
            value={texts[place + 1] ?? ''}
            onValue={(text) => put(place + 1, text)}
            {...wrong(place + 1)}
          />
        </div>
      ))}
    </fieldset>
  );
}
