/** Asks for the operator's token, and says why it is needed. */
import { type ErrorCode, errorCodeOf } from '@eigenveil/wire/errors';
import { useRef, useState } from 'preact/hooks';
import { Button, Field } from '../common/controls.tsx';
import { Notice, Problem } from '../common/feedback.tsx';
import { Layout, View } from '../common/layout.tsx';
import { useAction } from '../common/use-async.ts';
import type { SessionEnd } from './session.ts';

const ENDS: Readonly<Record<SessionEnd, string>> = {
  'signed out': 'You have signed out, and this page has forgotten the session.',
  unused: 'The page was out of sight for up to 15 minutes, so the session has ended.',
  limit: 'A session lasts 8 hours at most.',
  void: 'The data user does not take this session any more: the operator’s token may have been replaced.',
  unreachable: 'The data user did not answer in time, so the session could not be renewed.',
};

const EMPTY = 'Paste your token here.';
/** Refusals of the token itself. */
const REFUSED: Partial<Readonly<Record<ErrorCode, string>>> = {
  ERR_AUTH_REQUIRED: 'This is not the operator’s token. Paste all of it.',
  ERR_TOKEN_EXPIRED: 'This token is not valid any more. Ask for a new one.',
};

/** @param ended why it is asked again; null at first */
export function SignIn(props: {
  readonly ended: SessionEnd | null;
  readonly signIn: (token: string) => Promise<void>;
}) {
  const { ended, signIn } = props;
  const input = useRef<HTMLInputElement>(null);
  const action = useAction(async (_signal, token: string) => signIn(token));
  const [isEmpty, setEmpty] = useState(false);
  const code = errorCodeOf(action.error);
  const fault = isEmpty ? EMPTY : code === undefined ? undefined : REFUSED[code];
  return (
    <Layout name="Eigenveil console" links={[]}>
      <div class="sign-in">
        <View title="Sign in" name="Sign in">
          {ended !== null && (
            <Notice kind={ended === 'signed out' ? 'info' : 'warn'} title="The session has ended" live>
              <p>{ENDS[ended]}</p>
              {ended !== 'signed out' && <p>What you were doing is still here, once you sign in again.</p>}
            </Notice>
          )}
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              const token = input.current!.value.trim();
              setEmpty(token === '');
              if (token === '') return input.current!.focus();
              input.current!.value = '';
              action.run(token);
            }}
          >
            <Field
              label="Operator’s token"
              hint="Whoever runs the service has made it for you. The first one is in the file admin-token, in the folder of the service’s data."
              error={fault ?? null}
            >
              {(attributes) => (
                <input
                  {...attributes}
                  ref={input}
                  type="password"
                  autoComplete="off"
                  spellcheck={false}
                  maxLength={1024}
                  required
                />
              )}
            </Field>
            {fault === undefined && (
              <Problem error={action.error} title="You are not signed in">
                <p>Wait a little, and try again.</p>
              </Problem>
            )}
            <Button kind="main" submit busy={action.busy}>
              Sign in
            </Button>
          </form>
          <p class="hint">
            The token is exchanged for a session, and then forgotten. The session lives in the memory of this
            page alone: not in a cookie, not on the disk. So it is asked for again when the page is loaded
            again, in every tab, after 15 minutes out of sight, and after 8 hours.
          </p>
        </View>
      </div>
    </Layout>
  );
}
