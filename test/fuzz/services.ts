/** All services over HTTPS, asked by those who may: whatever the body, the record or the path, never a failure of theirs. */
import { openSigningKey } from '@eigenveil/server';
import { newTaskId } from '@eigenveil/task';
import { ProblemSchema } from '@eigenveil/wire';
import fc from 'fast-check';
import {
  newKey,
  newUserId,
  PROJECTION,
  Site,
  windowsOf,
} from '../../services/authenticator/test/authenticator.ts';
import {
  type Address,
  contributionOf,
  credentials,
  type Message,
  ownerOf,
  type Sender,
  send,
} from '../support/requests.ts';
import { RogueDataUser } from '../support/rogue.ts';
import { madeUpProposal, summarise } from '../support/tasks.ts';
import { World } from '../support/world.ts';
import { mutatedBytes, mutatedJson, mutatedText } from './mutate.ts';
import { asBase64, Fault, type Target, target, within } from './target.ts';

const LONGEST_MILLISECONDS = 30_000;
const ROWS = { values: [[0.5, -0.5]], classes: [[]] };

interface Asked {
  readonly message: Message;
  readonly sender: Sender;
  readonly address: Address;
}

/** Starts the services; the last of the targets stops them. */
export async function serviceTargets(): Promise<Target[]> {
  const world = await World.start();
  const { home } = await world.enrolledOwner();
  const [owner, dataUser] = [await ownerOf(home), await RogueDataUser.of(world)];
  const proposal = madeUpProposal('pca', 2, [], { components: 1 });
  const signed = await (await world.taskClient()).create(proposal);
  const { id } = signed.task;
  const genuine = await contributionOf(signed, home, summarise(signed.task, ROWS));
  const key = { key: await openSigningKey(world.dataUserConfig.dataDirectory) };
  const json = { 'content-type': 'application/json' };
  const atCsp = (path: string, body: string | Uint8Array, headers: Record<string, string>): Asked => ({
    message: { method: 'POST', path, headers, body },
    sender: key,
    address: world.cspAddress,
  });
  const bodies = (examples: readonly unknown[]) =>
    fc.oneof(
      mutatedJson(examples).map((value) => JSON.stringify(value)),
      mutatedText(examples.map((it) => JSON.stringify(it))),
    );
  const contribution = (bytes: Uint8Array, record: string): Asked => ({
    message: {
      method: 'PUT',
      path: `/tasks/${id}/contribution`,
      headers: {
        'content-type': 'application/octet-stream',
        // What is no text of a header cannot be sent.
        'eigenveil-record': record.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 6000),
      },
      body: bytes,
    },
    sender: owner,
    address: world.dataUserAddress,
  });
  // Ids of the fuzzer's own, so that a proposal which is right costs a key only now and then.
  const tasks = fc
    .constant(undefined)
    .chain(() => bodies([{ task: dataUser.task(proposal, { id: newTaskId(), keyBits: 1024 }) }]));
  const site = await Site.start();
  const device = await site.device();
  const path = `/sessions/${await device.openSession()}/windows`;
  const invited = { key: await newKey(), token: await site.invite(newUserId()) };
  const windows = windowsOf(0.5, 20);
  const { event } = await site.status(device.userId);
  const atAuthenticator = (it: string, sender: Sender, examples: readonly unknown[]) =>
    bodies(examples).map(
      (body): Asked => ({
        message: { method: 'POST', path: it, headers: json, body },
        sender,
        address: { url: site.running.url, ca: site.ca },
      }),
    );
  const relying = { key: site.relying };
  const inputs: [string, number, fc.Arbitrary<Asked>][] = [
    ['POST windows', 0.2, atAuthenticator(path, { key: device.key }, [{ first: 0, windows }])],
    [
      'POST /enrolments of a device',
      0.2,
      atAuthenticator('/enrolments', invited, [{ projection: PROJECTION, windows }]),
    ],
    [
      'POST /invitations',
      0.1,
      atAuthenticator('/invitations', relying, [{ userId: device.userId, purpose: 'renew' }]),
    ],
    ['POST /decisions', 0.1, atAuthenticator('/decisions', relying, [{ after: 1 }])],
    ['POST step-ups', 0.1, atAuthenticator(`/users/${device.userId}/step-ups`, relying, [{ event }])],
    ['POST /tasks', 0.1, tasks.map((body) => atCsp('/tasks', body, json))],
    [
      'POST /enrolments',
      0.2,
      bodies([{ enrolmentToken: 'A'.repeat(43) }]).map((body) => atCsp('/enrolments', body, json)),
    ],
    [
      'POST records',
      0.2,
      bodies([{ records: [genuine.record] }, { records: [genuine.record, genuine.record] }]).map((body) =>
        atCsp(`/tasks/${id}/records`, body, json),
      ),
    ],
    [
      'POST unblinding',
      0.2,
      mutatedBytes([genuine.bytes]).map((body) =>
        atCsp(`/tasks/${id}/unblinding`, body, { 'content-type': 'application/octet-stream' }),
      ),
    ],
    [
      'PUT contribution',
      0.2,
      mutatedBytes([genuine.bytes]).map((bytes) => contribution(bytes, genuine.record)),
    ],
    [
      'PUT contribution, record',
      0.2,
      mutatedText([genuine.record]).map((record) => contribution(genuine.bytes, record)),
    ],
  ];
  const targets = inputs.map(([name, weight, arbitrary]) =>
    target<Asked>({
      name: `services, ${name}`,
      weight,
      inputs: arbitrary,
      describe: ({ message: { method, path, headers, body } }) =>
        `${method} ${path} ${JSON.stringify(headers)} ${typeof body === 'string' ? JSON.stringify(body) : asBase64(body!)}`,
      async check({ message, sender, address }) {
        const headers = { ...message.headers, ...(await credentials(address, sender, message)) };
        const answer = await within(LONGEST_MILLISECONDS, send(address, { ...message, headers }));
        if (answer.status < 400) return;
        const problem = ProblemSchema.safeParse(answer.json);
        if (!problem.success || problem.data.code === 'ERR_INTERNAL' || answer.text.length > 2000)
          throw new Fault(`an answer that is no refusal: ${answer.status} ${answer.text.slice(0, 300)}`);
      },
    }),
  );
  return [
    ...targets.slice(0, -1),
    {
      ...targets.at(-1)!,
      close: async () => {
        await site.close();
        await world.close();
      },
    },
  ];
}
