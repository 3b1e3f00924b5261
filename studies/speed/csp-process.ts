/** The CSP of a benchmarked decomposition, a process of its own: a TLS server that takes its part once (garbles, for instance) and exits. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createLocalCertificate, startServer } from '@eigenveil/server';
import { programOf } from '@eigenveil/task';
import { ChannelAcceptor, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { answerOnDisk } from './kept-answer.ts';
import { TripsCounted } from './trips.ts';
import { type Assignment, type CspAddress, used } from './two-party.ts';

process.on('disconnect', () => process.exit()); // an interrupted benchmark must not leave processes behind
const [{ task, shares, signs, verifiedOwners, countsTrips }] = (await once(process, 'message')) as [
  Assignment,
];
const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
const answer = protocol.answersOnce ? await answerOnDisk('csp') : undefined;
const identity = await createLocalCertificate();
const { server, url } = await startServer({
  ...identity,
  listener: (_request, response) => response.end(),
  host: '127.0.0.1',
  port: 0,
});
process.send!({ url, ca: identity.cert } satisfies CspAddress);
const [request, socket, head] = (await once(server, 'upgrade')) as [IncomingMessage, Duplex, Buffer];
const channel = await new ChannelAcceptor().accept(request, socket, head);
await protocol.runCsp(
  countsTrips ? new TripsCounted(channel) : channel,
  { task, program: programOf(task) },
  // Other protocols have nothing that must be remembered: these data are drawn again for every run.
  {
    shares,
    signs,
    verifiedOwners,
    markAnswered: async () => answer?.noteMatrix(),
    ...(answer && { answer }),
  },
);
await channel.receive().catch(() => undefined); // the evaluator closes when it has what it needs
process.send!(used(), () => process.exit());
