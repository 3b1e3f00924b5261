/** The data user of a benchmarked decomposition, a process of its own: connects, takes its part once (evaluates, for instance), reports and exits. */
import { once } from 'node:events';
import { programOf } from '@eigenveil/task';
import { connectChannel, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { RoundsCounted } from './rounds.ts';
import { type Assignment, type CspAddress, type Evaluated, used } from './two-party.ts';

process.on('disconnect', () => process.exit()); // an interrupted benchmark must not leave processes behind
process.send!('ready');
const [{ task, shares, countsRounds, url, ca }] = (await once(process, 'message')) as [
  Assignment & CspAddress,
];
const started = performance.now();
const channel = await connectChannel({ url: url.replace('https', 'wss'), headers: {}, ca });
const counted = countsRounds ? new RoundsCounted(channel) : undefined;
let andGates = 0;
const decomposition = await TWO_PARTY_PROTOCOLS[task.twoParty].runDataUser(
  counted ?? channel,
  { task, program: programOf(task) },
  { shares },
  (progress) => {
    andGates = progress.andGates;
  },
);
const seconds = (performance.now() - started) / 1000;
const bytes = channel.bytesReceived + channel.bytesSent;
await channel.close();
process.send!(
  { decomposition, seconds, andGates, bytes, rounds: counted?.rounds, ...used() } satisfies Evaluated,
  () => process.exit(),
);
