/**
 * A relying application in a program: invites a user's device, lets nobody act but at `allow`, and confirms a step-up once the user has given
 * another proof of who they are.
 *
 *   HOME_FOLDER=… SERVICE_URL=… npx node examples/authentication-back-end.ts alice
 */
import {
  CodedError,
  type Decision,
  RelyingClient,
  RelyingHome,
  UserId,
} from '@eigenveil/authenticator/relying';

const { HOME_FOLDER = '', SERVICE_URL = '' } = process.env;
/** The service knows this key by its thumbprint: eigenveil-authenticator relying identity --home … */
const home = new RelyingHome(HOME_FOLDER);
const key = await home.signingKey();
const client = new RelyingClient({ service: { url: SERVICE_URL }, key, patienceMilliseconds: 30_000 });
/** The last decision on each user, who may do something only at `allow`. Yours is in a database, where the position is kept in the same transaction. */
const decisions = new Map<UserId, Decision>();
/** Made up for the example; yours asks for a passkey or a code, on another way than the device's behaviour. */
async function hasProved(user: UserId): Promise<boolean> {
  console.log(`${user}: who are you?`);
  return true;
}

const user = UserId.parse(process.argv[2]);
const { token } = await client.invite({ body: { userId: user, purpose: 'enrol' } });
console.log(token); // for the user's device, over a channel that both trust
for await (const event of client.follow({ after: await home.position(), everyMilliseconds: 200 })) {
  const { userId, decision, reason, sequence } = event;
  decisions.set(userId, decision);
  console.log(`${userId}: ${decision} (${reason})`);
  // Other reasons leave no session that could go on.
  const waits = decision === 'step-up' && ['session-opened', 'behaviour', 'unlocked'].includes(reason);
  if (waits && (await hasProved(userId)))
    await client.confirm({ userId, body: { event: sequence } }).catch((error: unknown) => {
      // Something has happened since, which the next event tells.
      if (!(error instanceof CodedError && error.code === 'ERR_EVENT_STALE')) throw error;
    });
  await home.savePosition(sequence);
  if (decision === 'lock') break; // for somebody to look at
}
await client.close();
