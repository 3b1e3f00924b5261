/**
 * Drafts a task from a sample that stays in the browser: a form, its JSON, and a forecast, which all show one
 * text.
 */
import { draftPrivacy } from '@eigenveil/data-user/draft';
import { methodOf } from '@eigenveil/methods';
import { TaskProposal } from '@eigenveil/task/schema';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Button, Field } from '../../common/controls.tsx';
import { save } from '../../common/files.ts';
import { View } from '../../common/layout.tsx';
import { checkProposal, type Place } from '../create/check-proposal.ts';
import { Faults } from '../create/faults.tsx';
import { routes } from '../routes.ts';
import './draft.css';
import { textOf } from './first-draft.ts';
import { Forecast } from './forecast-view.tsx';
import { MembersForm } from './form.tsx';
import { byMember, isObject, type Json, membersOf } from './members.ts';
import { SamplePart } from './sample-part.tsx';

const MEMBERS = membersOf(TaskProposal);
const DELTA = 1e-6;
const EPSILON = 1;

/**
 * @param text the proposal as far as it is drafted, empty before
 * @param create goes on with this JSON where tasks are created
 */
export function DraftView(props: {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly create: (proposal: string) => void;
}) {
  const { text, setText, create } = props;
  const [file, setFile] = useState<File | null>(null);
  return (
    <View title="Draft a task" name="Draft">
      <p>
        Take columns and ranges from a sample, look at what each member reveals and costs, and go on to{' '}
        <a href={routes.href('create', {})}>create</a> the task. Nothing is sent from here.
      </p>
      <h2>1. A sample</h2>
      <SamplePart
        onDraft={(from, drafted) => {
          setFile(from);
          setText(drafted);
        }}
      />
      {text !== '' && <Draft file={file} text={text} setText={setText} create={create} />}
    </View>
  );
}

function Draft(props: {
  readonly file: File | null;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly create: (proposal: string) => void;
}) {
  const { file, text, setText, create } = props;
  const value = useMemo(() => parsed(text), [text]);
  const checked = useMemo(() => checkProposal(text, new Date()), [text]);
  const faults = checked.kind === 'faulty' ? checked.faults : [];
  const isGood = checked.kind === 'good';
  const area = useRef<HTMLTextAreaElement>(null);
  const show = ({ start, end, line }: Place) => {
    const element = area.current!;
    element.focus();
    element.setSelectionRange(start, end);
    element.scrollTop = ((line - 3) / text.split('\n').length) * element.scrollHeight;
  };
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied.'),
      () => setSaid('The browser does not allow it: select the text and copy it.'),
    );
  return (
    <>
      <h2>2. The proposal</h2>
      <div class="columns">
        <div>
          {isObject(value) ? (
            <MembersForm
              members={MEMBERS}
              value={value}
              set={(next) => setText(textOf(next))}
              faults={byMember(faults.map(({ words }) => words))}
              newObjects={{ differentialPrivacy: () => privacyFor(value) }}
            />
          ) : (
            <p class="error">The form comes back once the JSON is right again.</p>
          )}
        </div>
        <div class="beside">
          <Field label="The proposal as JSON" hint="It and the form are one: change either.">
            {(attributes) => (
              <textarea
                {...attributes}
                ref={area}
                rows={14}
                spellcheck={false}
                dir="ltr"
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
          </Field>
          <div class="row">
            <Button onClick={copy}>Copy the JSON</Button>
            <Button onClick={() => save('task.json', 'application/json', text)}>Download it</Button>
            <span role="status">{said}</span>
          </div>
          <div role="status">{faults.length > 0 && <Faults faults={faults} show={show} />}</div>
          <Forecast file={file} value={value} />
        </div>
      </div>
      <h2>3. Create it</h2>
      <p>{isGood ? 'The task is valid.' : 'Fix the problems above.'}</p>
      <Button kind="main" disabled={!isGood} onClick={() => create(text)}>
        Go on to create it
      </Button>
    </>
  );
}

/** Returns the value of a text, or null for one that is not JSON. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/**
 * Returns the same privacy as `task draft --epsilon 1`. If the ranges do not come from a histogram, the
 * person who looks at them has to give the consent.
 */
function privacyFor({ features, method, rangesFrom }: { readonly [name: string]: Json }): Json {
  const known = TaskProposal.shape.features.safeParse(features);
  const named = TaskProposal.shape.method.safeParse(method);
  if (!known.success || !named.success) return {};
  const { isLinear } = methodOf({ method: named.data });
  const wanted = { features: known.data, epsilon: EPSILON, delta: DELTA, isLinear };
  const { differentialPrivacy } = draftPrivacy(wanted, false);
  const dataIndependentRanges = rangesFrom === undefined ? false : 'rangesFrom';
  return { ...differentialPrivacy, noise: 'servers', honestOwners: null, dataIndependentRanges };
}
