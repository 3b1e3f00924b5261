/** A list of objects of a form as a table, such as the features of a task. */
import { useState } from 'preact/hooks';
import { Button } from '../../common/controls.tsx';
import { Scroll } from '../../common/table.tsx';
import { Untrusted } from '../../common/text.tsx';
import type { Path } from '../create/places.ts';
import { Control, type EditorProps } from './control.tsx';
import { Explained } from './explained.tsx';
import { type FormFault, faultsWithin, idAt, wordsOf } from './form-faults.ts';
import { isObject, type Json, type Member, withMember } from './members.ts';

/** The number of rows of a long list that are shown at a time. */
const PAGE = 25;

/** A list of objects as a table: a row for each, a column for each of its members. */
export function ObjectsTable(props: {
  readonly name: string;
  readonly members: readonly Member[];
  readonly value: readonly Json[];
  readonly set: (value: Json) => void;
  /** The place of the list in the form. */
  readonly at: Path;
  readonly faults: readonly FormFault[];
}) {
  const { name, members, value, set, at, faults } = props;
  const [all, setAll] = useState(false);
  if (value.length === 0) return <p>None.</p>;
  // A row with a fault is always there, for whoever is led to it.
  const faulty = new Set(faults.map(({ path }) => path[0]));
  const shown = value.flatMap((entry, i) => (all || i < PAGE || faulty.has(i) ? [{ entry, i }] : []));
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
            {shown.map(({ entry, i }) => {
              const object = isObject(entry) ? entry : {};
              const own = faultsWithin(faults, i);
              return (
                <tr key={i}>
                  {members.map((member) => (
                    <td key={member.name}>
                      <Cell
                        member={member}
                        label={`${member.name} of ${name}[${i}]`}
                        id={idAt([...at, i, member.name])}
                        faults={faultsWithin(own, member.name)}
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

/** A control that its column names, with its fault below. */
function Cell(
  props: EditorProps & {
    readonly member: Member;
    readonly label: string;
    readonly id: string;
    readonly faults: readonly FormFault[];
  },
) {
  const { member, label, id, faults, value, set } = props;
  const isWrong = faults.length > 0;
  return (
    <>
      <Control
        attributes={{
          id,
          'aria-label': label,
          ...(isWrong && { 'aria-invalid': true, 'aria-describedby': `${id}-error` }),
        }}
        type={member.type}
        optional={member.optional}
        value={value}
        set={set}
      />
      {isWrong && (
        <p class="error" id={`${id}-error`}>
          <Untrusted text={wordsOf(faults)} longest={60} />
        </p>
      )}
    </>
  );
}
