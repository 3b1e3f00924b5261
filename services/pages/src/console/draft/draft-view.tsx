/**
 * Drafts a task from a sample that stays in the browser: a form, its JSON, and a forecast, which all show one
 * text.
 */
import { draftPrivacy } from '@eigenveil/data-user/draft';
import { type MethodName, methodOf } from '@eigenveil/methods';
import { TaskProposal } from '@eigenveil/task/schema';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, Field } from '../../common/controls.tsx';
import { Notice } from '../../common/feedback.tsx';
import { save } from '../../common/files.ts';
import { View } from '../../common/layout.tsx';
import type { ConsoleApi } from '../api.ts';
import { checkProposal, type Fault } from '../create/check-proposal.ts';
import { Faults } from '../create/faults.tsx';
import { showPlace } from '../create/places.ts';
import { routes } from '../routes.ts';
import './draft.css';
import { DraftWarnings } from './draft-warnings.tsx';
import { consentWarning, outdatedWords, type Proposal } from './drafted.ts';
import { parsed, textOf, withTitleOf } from './first-draft.ts';
import { tellable } from './forecast.ts';
import { Forecast } from './forecast-view.tsx';
import { MembersForm } from './form.tsx';
import { goTo, placeWords } from './form-faults.ts';
import { isObject, type Json, membersOf } from './members.ts';
import { SamplePart } from './sample-part.tsx';

const MEMBERS = membersOf(TaskProposal);
const DELTA = 1e-6;
const EPSILON = 1;

/** The form's place, of which the ids of its controls are made. */
const FORM = ['task'];

interface DraftProps {
  /** The proposal as far as it is drafted. */
  readonly proposal: Proposal;
  readonly setProposal: (proposal: Proposal) => void;
  /** Goes on with it where tasks are created. */
  readonly create: (proposal: Proposal) => void;
}

export function DraftView({ api, ...props }: DraftProps & { readonly api: ConsoleApi }) {
  /** The number of drafts that were written here. */
  const [written, setWritten] = useState(0);
  /** The method that is chosen beside a sample. */
  const [chosen, setChosen] = useState<MethodName | null>(null);
  const { text, drafted } = props.proposal;
  return (
    <View title="Draft a task" name="Draft">
      <p>
        Take columns and ranges from a sample, look at what each member reveals and costs, and go on to{' '}
        <a href={routes.href('create', {})}>create</a> the task. Nothing of it is sent from here.
      </p>
      <h2>1. A sample</h2>
      <SamplePart
        api={api}
        again={text !== ''}
        onMethod={setChosen}
        onDraft={(proposal) => {
          props.setProposal({ ...proposal, text: withTitleOf(text, proposal.text) });
          setWritten(written + 1);
        }}
      />
      {text !== '' && <Draft {...props} written={written} outdated={outdatedWords(drafted, chosen)} />}
    </View>
  );
}

function Draft(
  props: DraftProps & {
    readonly written: number;
    /** The reason to write the draft again, or null. */
    readonly outdated: string | null;
  },
) {
  const { proposal, setProposal, create, written, outdated } = props;
  const { text, drafted } = proposal;
  const setText = (next: string) => setProposal({ text: next, drafted });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (written === 0) return;
    heading.current!.focus();
    heading.current!.scrollIntoView();
  }, [written]);
  const value = useMemo(() => parsed(text), [text]);
  const checked = useMemo(() => checkProposal(text, new Date()), [text]);
  const faults = checked.kind === 'faulty' ? checked.faults : [];
  const isGood = checked.kind === 'good';
  const area = useRef<HTMLTextAreaElement>(null);
  const task = useMemo(() => tellable(value), [value]);
  const consent = task === null ? null : consentWarning(drafted, task);
  const wayTo = ({ path, place }: Fault) =>
    place && {
      text: path.length === 0 ? 'Go to the JSON' : `Go to ${placeWords(path)}`,
      go: () => {
        if (!goTo([...FORM, ...path])) showPlace(area.current!, place);
      },
    };
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied.'),
      () => setSaid('The browser does not allow it: select the text and copy it.'),
    );
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        2. The proposal
      </h2>
      {task !== null && <DraftWarnings drafted={drafted} task={task} />}
      <div class="columns drafting">
        <div>
          {isObject(value) ? (
            <MembersForm
              members={MEMBERS}
              value={value}
              set={(next) => setText(textOf(next))}
              at={FORM}
              faults={faults.map(({ path, beside }) => ({ path, words: beside }))}
              newObjects={{ differentialPrivacy: () => privacyFor(value) }}
              warnings={consent === null ? {} : { dataIndependentRanges: consent }}
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
          <div role="status">
            {faults.length > 0 && (
              <Faults faults={faults.map((it) => ({ words: it.words, way: wayTo(it) }))} />
            )}
          </div>
          <Forecast file={drafted?.file ?? null} value={value} />
        </div>
      </div>
      <h2>3. Create it</h2>
      <p>{isGood ? 'The task is valid.' : 'Fix the problems above.'}</p>
      {outdated !== null && <Notice kind="warn" title={outdated} live />}
      <Button kind="main" disabled={!isGood} onClick={() => create(proposal)}>
        Go on to create it
      </Button>
    </>
  );
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
