/** The meaning of a form's member, with what it reveals and what it costs. */
import { costOfMember, type Member } from './members.ts';

export function Explained({ member: { name, says, reveals } }: { readonly member: Member }) {
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
