/** The form of a proposal's members: each with its meaning, what it reveals, and its fault. */
import { asTitle } from '@eigenveil/task/title';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Field } from '../../common/controls.tsx';
import { Scroll } from '../../common/table.tsx';
import { Untrusted } from '../../common/text.tsx';
import {
  costOfMember,
  isObject,
  type Json,
  type Kind,
  type Member,
  numberOrText,
  withMember,
} from './members.ts';

type JsonObject = { readonly [name: string]: Json };

interface EditorProps {
  readonly value: Json | undefined;
  readonly set: (value: Json | undefined) => void;
}

/**
 * @param newObjects what a member that is null becomes when it is wanted, by its name
 */
export function MembersForm(props: {
  readonly members: readonly Member[];
  readonly value: JsonObject;
  readonly set: (value: JsonObject) => void;
  readonly faults: ReadonlyMap<string, string>;
  readonly newObjects: Readonly<Record<string, () => Json>>;
}) {
  const { members, value, set, faults, newObjects } = props;
  return (
    <>
      {members.map((member) => (
        <MemberForm
          key={member.name}
          member={member}
          value={value[member.name]}
          set={(next) => set(withMember(value, member.name, next))}
          fault={faults.get(member.name) ?? null}
          newObjects={newObjects}
        />
      ))}
    </>
  );
}

function MemberForm(
  props: EditorProps & {
    readonly member: Member;
    readonly fault: string | null;
    readonly newObjects: Readonly<Record<string, () => Json>>;
  },
) {
  const { member, value, set, fault, newObjects } = props;
  const { name, type } = member;
  const object = isObject(value) ? value : {};
  if (type.kind === 'object')
    return (
      <Group member={member} fault={fault}>
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
            faults={NONE}
            newObjects={newObjects}
          />
        )}
      </Group>
    );
  if (type.kind === 'variants') {
    const chosen = typeof object.kind === 'string' ? object.kind : '';
    return (
      <Group member={member} fault={fault}>
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
          members={type.variants.get(chosen) ?? []}
          value={object}
          set={set}
          faults={NONE}
          newObjects={newObjects}
        />
      </Group>
    );
  }
  if (type.kind === 'objects')
    return (
      <Group member={member} fault={fault}>
        <ObjectsTable
          name={name}
          members={type.members}
          value={Array.isArray(value) ? value : []}
          set={set}
        />
      </Group>
    );
  if (type.kind === 'choices')
    return (
      <Group member={member} fault={fault}>
        <Choices
          options={type.options}
          value={Array.isArray(value) ? value : []}
          set={(chosen) => set(member.optional && chosen.length === 0 ? undefined : chosen)}
        />
      </Group>
    );
  return (
    <Field
      label={<code>{name}</code>}
      hint={<Explained member={member} />}
      error={fault === null ? null : <Untrusted text={fault} longest={300} />}
    >
      {(attributes) => (
        <Control attributes={attributes} type={type} optional={member.optional} value={value} set={set} />
      )}
    </Field>
  );
}

const NONE: ReadonlyMap<string, string> = new Map();

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
  readonly fault: string | null;
  readonly children: ComponentChildren;
}) {
  const { member, fault, children } = props;
  return (
    <fieldset class="member">
      <legend>
        <code>{member.name}</code>
      </legend>
      <div class="hint">
        <Explained member={member} />
      </div>
      {fault !== null && (
        <p class="error">
          <Untrusted text={fault} longest={300} />
        </p>
      )}
      {children}
    </fieldset>
  );
}

function Explained({ member: { name, says, reveals } }: { readonly member: Member }) {
  const cost = costOfMember(name);
  return (
    <>
      {says}
      {reveals !== '' && (
        <>
          {' '}
          <strong>Reveals:</strong> {reveals}
        </>
      )}
      {cost !== null && (
        <>
          {' '}
          <strong>Costs:</strong> {cost}
        </>
      )}
    </>
  );
}

function Control(
  props: EditorProps & {
    readonly attributes: { readonly id?: string; readonly 'aria-label'?: string };
    readonly type: Kind;
    readonly optional: boolean;
  },
) {
  const { attributes, type, optional, value, set } = props;
  switch (type.kind) {
    case 'yes or no':
      return (
        <input
          {...attributes}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget: { checked } }) => set(checked)}
        />
      );
    case 'choice':
      return (
        <select
          {...attributes}
          value={typeof value === 'string' ? value : ''}
          onChange={({ currentTarget: { value: next } }) => set(next === '' ? undefined : next)}
        >
          {(optional || typeof value !== 'string') && <option value="">not said</option>}
          {type.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      );
    case 'texts':
      return (
        <Typed
          attributes={attributes}
          lines
          text={Array.isArray(value) ? value.join('\n') : ''}
          set={(text) => set(text.split('\n').filter((line) => line !== ''))}
        />
      );
    case 'number':
      return (
        <Typed
          attributes={attributes}
          text={value === undefined || value === null ? '' : String(value)}
          set={(text) => set(text.trim() === '' ? emptied(value, optional) : numberOrText(text))}
        />
      );
    default:
      return (
        <Typed
          attributes={attributes}
          text={typeof value === 'string' ? value : ''}
          set={(text) => set(optional ? asTitle(text) || undefined : text)}
        />
      );
  }
}

/** Returns what a number becomes when its text is deleted. */
function emptied(value: Json | undefined, optional: boolean): Json | undefined {
  if (value === null) return null;
  return optional ? undefined : '';
}

/** While somebody types, the text stays as it is typed: `1.` and `1e` become numbers later. */
function Typed(props: {
  readonly attributes: { readonly id?: string; readonly 'aria-label'?: string };
  readonly text: string;
  readonly set: (text: string) => void;
  readonly lines?: boolean;
}) {
  const { attributes, text, set, lines = false } = props;
  const [typing, setTyping] = useState<string | null>(null);
  const shared = {
    ...attributes,
    value: typing ?? text,
    onBlur: () => setTyping(null),
    onInput: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) => {
      setTyping(value);
      set(value);
    },
  };
  return lines ? <textarea {...shared} rows={4} /> : <input {...shared} type="text" autocomplete="off" />;
}

function Choices(props: {
  readonly options: readonly string[];
  readonly value: readonly Json[];
  readonly set: (value: readonly Json[]) => void;
}) {
  const { options, value, set } = props;
  return (
    <div class="row">
      {options.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            checked={value.includes(option)}
            onChange={({ currentTarget: { checked } }) =>
              set(checked ? [...value, option] : value.filter((it) => it !== option))
            }
          />{' '}
          {option}
        </label>
      ))}
    </div>
  );
}

/** The number of rows of a long list that are shown at a time. */
const PAGE = 25;

/** A list of objects as a table: a row for each, a column for each of its members. */
function ObjectsTable(props: {
  readonly name: string;
  readonly members: readonly Member[];
  readonly value: readonly Json[];
  readonly set: (value: Json) => void;
}) {
  const { name, members, value, set } = props;
  const [all, setAll] = useState(false);
  if (value.length === 0) return <p>None.</p>;
  const shown = all ? value : value.slice(0, PAGE);
  return (
    <>
      <Scroll label={name}>
        <table class="edit">
          <caption class="hidden">{name}</caption>
          <thead>
            <tr>
              {members.map((member) => (
                <th key={member.name} scope="col">
                  {member.name}
                </th>
              ))}
              <th scope="col">
                <span class="hidden">Leave out</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((entry, i) => {
              const object = isObject(entry) ? entry : {};
              return (
                <tr key={i}>
                  {members.map((member) => (
                    <td key={member.name}>
                      <Control
                        attributes={{ 'aria-label': `${member.name} of ${name}[${i}]` }}
                        type={member.type}
                        optional={member.optional}
                        value={object[member.name]}
                        set={(next) => set(value.with(i, withMember(object, member.name, next)))}
                      />
                    </td>
                  ))}
                  <td>
                    <Button onClick={() => set(value.toSpliced(i, 1))}>
                      Leave out
                      <span class="hidden">
                        {' '}
                        {name}[{i}]
                      </span>
                    </Button>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {value.length > PAGE && (
        <Button onClick={() => setAll(!all)}>
          {all ? `Show the first ${PAGE}` : `Show all ${value.length}`}
        </Button>
      )}
      <details>
        <summary>What the columns mean</summary>
        <dl class="facts">
          {members.map((member) => (
            <div key={member.name} class="term">
              <dt>{member.name}</dt>
              <dd>
                <Explained member={member} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}
