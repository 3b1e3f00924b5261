/** The form of a proposal's members: each with its meaning, what it reveals, and its fault. */
import type { ComponentChildren } from 'preact';
import { Field } from '../../common/controls.tsx';
import { Untrusted } from '../../common/text.tsx';
import type { Path } from '../create/places.ts';
import { Choices, Control, type EditorProps } from './control.tsx';
import { Explained } from './explained.tsx';
import { type FormFault, faultsWithin, idAt, wordsOf } from './form-faults.ts';
import { askedOf, isObject, type Json, type Member, withMember } from './members.ts';
import { ObjectsTable } from './objects-table.tsx';

type JsonObject = { readonly [name: string]: Json };

/**
 * @param at the place of the object in the form, of which ids are made
 * @param faults with paths from there
 * @param newObjects what a member that is null becomes when it is wanted, by its name
 * @param warnings what to know of a member before it is set, by its name
 */
export function MembersForm(props: {
  readonly members: readonly Member[];
  readonly value: JsonObject;
  readonly set: (value: JsonObject) => void;
  readonly at: Path;
  readonly faults: readonly FormFault[];
  readonly newObjects: Readonly<Record<string, () => Json>>;
  readonly warnings?: Readonly<Record<string, string>>;
}) {
  const { members, value, set, at, faults, newObjects, warnings = {} } = props;
  return (
    <>
      {members.map((member) => (
        <MemberForm
          key={member.name}
          member={member}
          value={value[member.name]}
          set={(next) => set(withMember(value, member.name, next))}
          at={[...at, member.name]}
          faults={faultsWithin(faults, member.name)}
          newObjects={newObjects}
          warnings={warnings}
        />
      ))}
    </>
  );
}

function MemberForm(
  props: EditorProps & {
    readonly member: Member;
    readonly at: Path;
    readonly faults: readonly FormFault[];
    readonly newObjects: Readonly<Record<string, () => Json>>;
    readonly warnings: Readonly<Record<string, string>>;
  },
) {
  const { member, value, set, at, faults, newObjects, warnings } = props;
  const { name, type } = member;
  const object = isObject(value) ? value : {};
  const id = idAt(at);
  const group = (within: readonly Member[]) => ({
    member,
    id,
    faults: faults.filter(({ path: [first] }) => !within.some((it) => it.name === first)),
  });
  if (type.kind === 'object')
    return (
      <Group {...group(isObject(value) ? type.members : [])}>
        {type.nullable && (
          <Field label={`With ${name}`}>
            {(attributes) => (
              <input
                {...attributes}
                type="checkbox"
                checked={isObject(value)}
                onChange={({ currentTarget: { checked } }) =>
                  set(checked ? (newObjects[name]?.() ?? {}) : null)
                }
              />
            )}
          </Field>
        )}
        {isObject(value) && (
          <MembersForm
            members={type.members}
            value={object}
            set={set}
            at={at}
            faults={faults}
            newObjects={newObjects}
            warnings={warnings}
          />
        )}
      </Group>
    );
  if (type.kind === 'variants') {
    const chosen = typeof object.kind === 'string' ? object.kind : '';
    const within = type.variants.get(chosen) ?? [];
    return (
      <Group {...group(within)}>
        <Field label={`${name}.kind`}>
          {(attributes) => (
            <select
              {...attributes}
              value={chosen}
              onChange={({ currentTarget: { value: kind } }) =>
                set(variantOf(kind, type.variants.get(kind)!, object))
              }
            >
              {[...type.variants.keys()].map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          )}
        </Field>
        <MembersForm
          key={chosen}
          members={within}
          value={object}
          set={set}
          at={at}
          faults={faults}
          newObjects={newObjects}
          warnings={warnings}
        />
      </Group>
    );
  }
  if (type.kind === 'objects')
    return (
      <Group
        {...group([])}
        faults={faults.filter(
          ({ path: [index, inner] }) =>
            typeof index !== 'number' || !type.members.some((it) => it.name === inner),
        )}
      >
        <ObjectsTable
          name={name}
          members={type.members}
          value={Array.isArray(value) ? value : []}
          set={set}
          at={at}
          faults={faults}
        />
      </Group>
    );
  if (type.kind === 'choices')
    return (
      <Group {...group([])}>
        <Choices
          options={type.options}
          value={Array.isArray(value) ? value : []}
          set={(chosen) => set(member.optional && chosen.length === 0 ? undefined : chosen)}
        />
      </Group>
    );
  const asked = askedOf(name);
  const warning = warnings[name];
  return (
    <Field
      id={id}
      label={
        <>
          {asked !== undefined && `${asked.label} `}
          <code>{name}</code>
        </>
      }
      hint={
        <>
          <Explained member={member} />
          {warning !== undefined && (
            <>
              {' '}
              <strong>Take care:</strong> {warning}
            </>
          )}
        </>
      }
      error={faults.length === 0 ? null : <Untrusted text={wordsOf(faults)} longest={300} />}
    >
      {(attributes) => (
        <Control attributes={attributes} type={type} optional={member.optional} value={value} set={set} />
      )}
    </Field>
  );
}

/**
 * Returns another variant of an object. Members that both have stay; the schema also needs 1 for a ridge, and
 * 0 for one on the signal.
 */
function variantOf(kind: string, members: readonly Member[], before: JsonObject): JsonObject {
  const kept = members.flatMap(({ name, type, optional }): [string, Json][] => {
    const old = before[name];
    if (old !== undefined) return [[name, old]];
    if (optional) return [];
    return [[name, type.kind === 'choice' ? type.options[0]! : name === 'ridge' ? 1 : 0]];
  });
  return { kind, ...Object.fromEntries(kept) };
}

function Group(props: {
  readonly member: Member;
  readonly id: string;
  /** The faults that no control within shows. */
  readonly faults: readonly FormFault[];
  readonly children: ComponentChildren;
}) {
  const { member, id, faults, children } = props;
  const isWrong = faults.length > 0;
  return (
    <fieldset
      id={id}
      class={isWrong ? 'member wrong' : 'member'}
      tabIndex={-1}
      {...(isWrong && { 'aria-describedby': `${id}-error` })}
    >
      <legend>
        <code>{member.name}</code>
      </legend>
      <div class="hint">
        <Explained member={member} />
      </div>
      {isWrong && (
        <p class="error" id={`${id}-error`}>
          <Untrusted text={wordsOf(faults)} longest={300} />
        </p>
      )}
      {children}
    </fieldset>
  );
}
