/** The controls of a form's members, by their kinds. */
import { asTitle } from '@eigenveil/task/title';
import { useState } from 'preact/hooks';
import { type Json, type Kind, numberOrText } from './members.ts';

export interface EditorProps {
  readonly value: Json | undefined;
  readonly set: (value: Json | undefined) => void;
}

interface ControlAttributes {
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/** The control of a member, by its kind. */
export function Control(
  props: EditorProps & {
    readonly attributes: ControlAttributes;
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
  readonly attributes: ControlAttributes;
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

/** Several of a few options. */
export function Choices(props: {
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
