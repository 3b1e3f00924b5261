/** The services that an invitation names, all to be seen and changed, and the decision to trust the CSP. */
import { OwnerLink, readableMembers, readOwnerLink } from '@eigenveil/wire/owner-link';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { Grouped, Untrusted } from '../common/text.tsx';
import { FaultSummary, TextField } from './fields.tsx';
import { keepInvitation, type Trusted } from './invitation.ts';

type Member = keyof OwnerLink;
type Texts = Readonly<Record<Member, string>>;

const LABELS: Readonly<Record<Member, string>> = {
  token: 'Token, or the whole link',
  csp: 'Address of the CSP',
  thumbprint: 'Thumbprint of the CSP’s key',
  dataUser: 'Address of the data user (optional)',
  task: 'Task (optional)',
};

const HINTS: Readonly<Partial<Record<Member, string>>> = {
  token: 'Works once. The CSP’s operator makes it.',
  thumbprint: '43 characters. Only the crypto service provider (CSP) has this key.',
  dataUser: 'Who proposes the task and gets the result.',
  task: '22 characters; looked for at the data user.',
};

const WRONG: Texts = {
  csp: 'Expected an https address without a path, such as https://csp.example.org:8443',
  thumbprint: 'Expected 43 letters, digits, - and _',
  dataUser: 'Expected an https address without a path, such as https://user.example.org:8444',
  task: 'Expected 22 letters, digits, - and _, and the address of the data user',
  token: 'Expected a token as the CSP’s operator has it, or a whole link',
};

const MEMBERS = Object.keys(LABELS) as Member[];

const textsOf = (link: Partial<OwnerLink> | null, csp: string): Texts => ({
  csp: link?.csp ?? csp,
  thumbprint: link?.thumbprint ?? '',
  dataUser: link?.dataUser ?? '',
  task: link?.task ?? '',
  token: link?.token ?? '',
});

/** Returns what the texts say, or the members that are wrong or missing. */
function read(texts: Texts): { readonly trusted: Trusted } | { readonly wrong: ReadonlySet<unknown> } {
  const filled = MEMBERS.flatMap((name) => (texts[name].trim() === '' ? [] : [[name, texts[name].trim()]]));
  const link = OwnerLink.safeParse(Object.fromEntries(filled));
  const wrong = new Set<unknown>(link.error?.issues.map(({ path }) => path[0]));
  if (texts.token.trim() === '') wrong.add('token');
  if (!link.success || link.data.token === undefined) return { wrong };
  return { trusted: { ...link.data, token: link.data.token } };
}

/** Says that a link is not whole. The form below has what can be read of it. */
export function DamagedLink({ children }: { readonly children: ComponentChildren }) {
  return (
    <Notice kind="bad" title="The link is damaged" live>
      <p>{children} What can be read of it is filled in below.</p>
    </Notice>
  );
}

/**
 * @param link the invitation, if somebody came by one, or what can be read of it
 * @param csp the address of the CSP that this owner has enrolled at, or nothing
 * @param action the words of the button
 */
export function InvitationForm(props: {
  readonly link: Partial<OwnerLink> | null;
  readonly csp: string;
  readonly action: string;
  /** Called with a whole link that was filled in. */
  readonly onPasted: (link: OwnerLink) => void;
  readonly onTrust: (trusted: Trusted) => void;
}) {
  const { link, csp, action, onPasted, onTrust } = props;
  const [texts, setTexts] = useState(textsOf(link, csp));
  const [isDamaged, setDamaged] = useState(false);
  const [sent, setSent] = useState(0);
  const result = read(texts);
  const wrong = 'wrong' in result ? result.wrong : new Set();
  const change = (name: Member, text: string) => {
    setDamaged(false);
    if (name !== 'token' || !text.includes('#')) return setTexts({ ...texts, [name]: text });
    // The text may be a whole link, as it came by mail.
    const fragment = text.slice(text.indexOf('#'));
    try {
      const read = readOwnerLink(fragment);
      keepInvitation(read);
      onPasted(read);
      setTexts(textsOf(read, ''));
    } catch {
      setTexts(textsOf(readableMembers(fragment), csp));
      setDamaged(true);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if ('trusted' in result) onTrust(result.trusted);
        else setSent((it) => it + 1);
      }}
    >
      <h2>Do you trust this CSP?</h2>
      <FaultSummary
        title="Fix these fields before going on"
        sent={sent}
        faults={MEMBERS.filter((name) => wrong.has(name)).map((name) => ({
          id: `invitation-${name}`,
          label: LABELS[name],
          words: WRONG[name],
        }))}
      />
      {'trusted' in result && (
        <p>
          The crypto service provider (CSP) at <Untrusted text={texts.csp} /> signs every task that you take
          part in, and must not work together with the data user. Compare the thumbprint of its key with the
          one that you were told by another way than this link, by telephone or on paper:{' '}
          <Grouped value={texts.thumbprint} />
        </p>
      )}
      {'trusted' in result && (
        <Button kind="main" submit>
          {action}
        </Button>
      )}
      {isDamaged && <DamagedLink>Copy all of the link from your invitation.</DamagedLink>}
      <details open={!('trusted' in read(textsOf(link, csp)))}>
        <summary>What the invitation says</summary>
        {MEMBERS.map((name) => (
          <TextField
            key={name}
            id={`invitation-${name}`}
            label={LABELS[name]}
            {...(HINTS[name] === undefined ? {} : { hint: HINTS[name] })}
            value={texts[name]}
            onValue={(text) => change(name, text)}
            error={wrong.has(name) && (sent > 0 || texts[name] !== '') ? WRONG[name] : null}
            isSecret={name === 'token' && texts.token !== ''}
          />
        ))}
        {!('trusted' in result) && (
          <Button kind="main" submit>
            {action}
          </Button>
        )}
      </details>
    </form>
  );
}
