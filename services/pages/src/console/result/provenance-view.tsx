/** Says who vouches for which part of a result. */
import { count } from '../../common/format.ts';
import { Table } from '../../common/table.tsx';
import { Grouped } from '../../common/text.tsx';
import type { CheckedResult } from './verify.ts';

interface Word {
  readonly what: string;
  readonly who: string;
  readonly how: string;
}

export function Provenance({ checked }: { readonly checked: CheckedResult }) {
  const { provenance, projection, csp, dataUser } = checked;
  const { verifiedOwners } = provenance;
  const words: readonly Word[] = [
    {
      what: 'These are the parameters that owners saw before they contributed',
      who: 'the CSP',
      how: 'its signature of the task, with the key for it and the thumbprint of this data user',
    },
    {
      what: `${count(verifiedOwners, 'enrolled owner')} signed records of contributions to this task`,
      who: 'the CSP',
      how: 'its signed statement, which each owner can check for the own record',
    },
    {
      what: 'All who are given a result of this task are given this one',
      who: 'the CSP',
      how: 'its countersignature of one digest, and no other, for this task',
    },
    {
      what: 'This is what came out of the computation',
      who: 'this data user',
      how: 'its signature of the projection; nobody else has seen it',
    },
    {
      what: 'The sums of all those contributions, and no others, were computed with',
      who: 'this data user alone',
      how: 'not proven: the CSP sees only blinded sums',
    },
    {
      what: 'Owners’ rows are true',
      who: 'each owner alone',
      how: 'not proven: rows never leave their owners',
    },
  ];
  return (
    <>
      <h2>Who vouches for what</h2>
      <p>
        All signatures were checked when this view opened. The page comes from your own data user, so this
        finds a result that was mixed up or altered, not a service that lies to you: for that, have the file
        with all signatures checked on another machine, by a program that calls <code>openProjection</code>{' '}
        with the thumbprint that the CSP’s operator has told you.
      </p>
      <Table
        caption="What is said, and by whom"
        captionHidden
        rows={words}
        keyOf={({ what }) => what}
        columns={[
          { head: 'What', cell: ({ what }) => what },
          { head: 'Who says so', cell: ({ who }) => who },
          { head: 'How it is known', cell: ({ how }) => how },
        ]}
      />
      <details>
        <summary>Thumbprints and digests</summary>
        <dl class="facts">
          <Fact name="CSP’s key" value={csp} />
          <Fact name="Data user’s key" value={dataUser} />
          <Fact name="Task" value={projection.taskDigest} />
          <Fact name="Records that the CSP has verified" value={provenance.contributionsRoot} />
          <Fact name="Blinded sums that it has decrypted" value={provenance.unblindingDigest} />
          <Fact name="Projection, with a salt" value={provenance.projectionDigest} />
        </dl>
      </details>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Grouped value={value} />
      </dd>
    </>
  );
}
