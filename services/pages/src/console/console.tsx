/** The console: it signs in, and shows the view that the address names. */

import { TaskId } from '@eigenveil/task/ids';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { exactTime } from '../common/format.ts';
import { Layout, View } from '../common/layout.tsx';
import { useHash } from '../common/routes.ts';
import { type ConsoleApi, consoleApi, sessions } from './api.ts';
import { CreateView } from './create/create-view.tsx';
import { DraftView } from './draft/draft-view.tsx';
import { NO_PROPOSAL, type Proposal } from './draft/drafted.ts';
import { after } from './follow.ts';
import { ListView } from './list/list-view.tsx';
import { ResultView } from './result/result-view.tsx';
import { routes } from './routes.ts';
import { Session, type SessionEnd } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { TaskView } from './task/task-view.tsx';

const clock = {
  now: () => performance.now(),
  after,
};

/** The one session of this page. Its bearer is kept nowhere else. */
let session: Session | null = null;

/**
 * A session that ends by itself hides the view but keeps it, so that a draft is still there once somebody has
 * signed in again; signing out removes everything.
 */
export function Console() {
  const [api, setApi] = useState<ConsoleApi | null>(null);
  const [ended, setEnded] = useState<SessionEnd | null>(null);

  const signIn = async (token: string) => {
    const opened: Session = await Session.open({
      exchange: () => sessions.openSession({ body: { token } }),
      renew: (bearer) => sessions.renewSession({}, bearer),
      isInUse: () => document.visibilityState === 'visible',
      clock,
      onEnd: (reason) => {
        if (session !== opened) return;
        session = null;
        if (reason === 'signed out') setApi(null);
        setEnded(reason);
      },
    });
    session = opened;
    setApi(consoleApi(opened));
    setEnded(null);
  };

  const isSignedIn = api !== null && ended === null;
  return (
    <>
      {!isSignedIn && <SignIn ended={ended} signIn={signIn} />}
      {api !== null && (
        <div hidden={!isSignedIn}>
          <Frame api={api} endsAt={session?.endsAt ?? null} />
        </div>
      )}
    </>
  );
}

function Frame({ api, endsAt }: { readonly api: ConsoleApi; readonly endsAt: string | null }) {
  const hash = useHash();
  /** Proposals that go from view to view, and stay while another view is shown. */
  const [draft, setDraft] = useState(NO_PROPOSAL);
  const [proposal, setProposal] = useState(NO_PROPOSAL);
  const name = routes.match(hash)?.name;
  return (
    <Layout
      name="Eigenveil console"
      links={[
        { text: 'Tasks', href: routes.href('list', {}), current: name === 'list' },
        { text: 'Draft', href: routes.href('draft', {}), current: name === 'draft' },
        { text: 'Create', href: routes.href('create', {}), current: name === 'create' },
      ]}
      actions={
        <div class="row">
          {endsAt !== null && (
            <span class="hint">Signed in until {exactTime(new Date(endsAt))} at the latest</span>
          )}
          <Button onClick={() => session?.end('signed out')}>Sign out</Button>
        </div>
      }
    >
      <Place key={hash} {...{ hash, api, draft, setDraft, proposal, setProposal }} />
    </Layout>
  );
}

function Place(props: {
  readonly hash: string;
  readonly api: ConsoleApi;
  readonly draft: Proposal;
  readonly setDraft: (draft: Proposal) => void;
  readonly proposal: Proposal;
  readonly setProposal: (proposal: Proposal) => void;
}) {
  const { hash, api, draft, setDraft, proposal, setProposal } = props;
  const route = routes.match(hash);
  switch (route?.name) {
    case 'list':
      return <ListView api={api} />;
    case 'draft':
      return (
        <DraftView
          api={api}
          proposal={draft}
          setProposal={setDraft}
          create={(drafted) => {
            setProposal(drafted);
            location.hash = routes.href('create', {});
          }}
        />
      );
    case 'create':
      return <CreateView api={api} proposal={proposal} setProposal={setProposal} />;
    case 'task':
    case 'result': {
      const taskId = TaskId.safeParse(route.params.taskId);
      if (!taskId.success) return <Nowhere />;
      if (route.name === 'task') return <TaskView api={api} taskId={taskId.data} />;
      return (
        <ResultView
          api={api}
          taskId={taskId.data}
          draft={(text) => {
            setDraft({ text, drafted: null });
            location.hash = routes.href('draft', {});
          }}
        />
      );
    }
    default:
      return <Nowhere />;
  }
}

function Nowhere() {
  return (
    <View title="There is no such page" name="No such page">
      <p>
        <a href={routes.href('list', {})}>See all tasks</a>
      </p>
    </View>
  );
}
