/** The data user of a benchmarked decomposition, a process of its own: connects, takes its part once (evaluates, for instance), reports and exits. */
import { once } from 'node:events';
import { ofKind } from '@eigenveil/methods';
import { programOf } from '@eigenveil/task';
import { connectChannel, systemClock, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { standardPaceOf } from '@eigenveil/two-party/plan';
import { answerOnDisk } from './kept-answer.ts';
import { TripsCounted } from './trips.ts';
import { type Assignment, type CspAddress, type Evaluated, used } from './two-party.ts';

process.on('disconnect', () => process.exit()); // an interrupted benchmark must not leave processes behind
process.send!('ready');
const [{ task, shares, signs, countsTrips, url, ca }] = (await once(process, 'message')) as [
  Assignment & CspAddress,
];
const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
const answer = protocol.answersOnce ? await answerOnDisk('data-user') : undefined;
const started = performance.now();
const channel = await connectChannel({ url: url.replace('https', 'wss'), headers: {}, ca });
const counted = countsTrips ? new TripsCounted(channel) : undefined;
let andGates = 0;
let waited = 0;
const program = programOf(task);
const pace = {
  milliseconds: standardPaceOf(task),
  clock: {
    ...systemClock,
    sleep: async (milliseconds: number, signal?: AbortSignal) => {
      const from = performance.now();
      await systemClock.sleep(milliseconds, signal);
      waited += performance.now() - from;
    },
  },
};
const result = await protocol.runDataUser(
  counted ?? channel,
  { task, program },
  { shares, signs, pace, ...(answer && { answer }) },
  (progress) => {
    if (progress.unit === 'AND gates') andGates = progress.done;
  },
);
const seconds = (performance.now() - started) / 1000;
const bytes = channel.bytesReceived + channel.bytesSent;
await channel.close();
process.send!(
  {
    decomposition: ofKind('components', result),
    seconds,
    waitSeconds: waited / 1000,
    andGates,
    bytes,
    trips: counted?.trips,
    ...used(),
  } satisfies Evaluated,
  () => process.exit(),
);
