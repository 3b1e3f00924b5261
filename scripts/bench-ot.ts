/**
 * `npm run bench:ot`: oblivious transfers per second within one process and between two over TLS, and what the channel
 * carries in either direction.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import { median } from '@eigenveil/studies/instrument/statistics';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import { type Address, CHUNK_BYTES, type Job } from '@eigenveil/studies/speed/ot-jobs';
import { connectChannel } from '@eigenveil/two-party';
import {
  MessageStream,
  memoryChannelPair,
  receiveRandom,
  sendRandom,
  setUpReceiver,
  setUpSender,
} from '@eigenveil/two-party/insides';
import { benchmark, printJson, wholeNumber } from './options.ts';

interface Row {
  what: string;
  milliseconds: number;
  /** Transfers or bytes. */
  amount: number;
  unit: 'transfers' | 'bytes';
  perSecond: number;
}

const EXPLANATION = `Medians after one uncounted warm-up. Within one process both parties share one core and a channel in
memory; between two processes they talk over a WebSocket in TLS 1.3 on the loopback interface, the garbler as server. A
transfer costs 16 bytes from the evaluator to the garbler; tables flow the other way.
Set-up is the 128 base transfers.`;

const SERVER = fileURLToPath(new URL('../studies/speed/ot-server.ts', import.meta.url));

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Medians per name over the repetitions, the first of which is the warm-up. */
async function medians(
  repetitions: number,
  run: () => Promise<Record<string, number>>,
): Promise<Record<string, number>> {
  const runs: Record<string, number>[] = [];
  for (let repetition = 0; repetition <= repetitions; repetition += 1) runs.push(await run());
  return Object.fromEntries(
    Object.keys(runs[0]!).map((name) => [name, median(runs.slice(1).map((times) => times[name]!))]),
  );
}

async function inOneProcess(count: number): Promise<Record<string, number>> {
  const [left, right] = memoryChannelPair();
  const delta = new Uint8Array(16).fill(1);
  const start = performance.now();
  const [sender, receiver] = await Promise.all([
    setUpSender(new MessageStream(left), delta),
    setUpReceiver(new MessageStream(right)),
  ]);
  const setUp = performance.now() - start;
  const choices = choicesFor(count);
  const correlated = await timed(() => Promise.all([sender.extend(count), receiver.extend(choices)]));
  const random = await timed(() =>
    Promise.all([sendRandom(sender, count), receiveRandom(receiver, choices)]),
  );
  await left.close();
  return { setUp, correlated, random };
}

async function overTls({ url, ca }: Address, { kind, amount }: Job): Promise<Record<string, number>> {
  const channel = await connectChannel({
    url: `${url.replace('https', 'wss')}/${kind}/${amount}`,
    headers: {},
    ca,
  });
  const stream = new MessageStream(channel);
  const nothing = new Uint8Array(0);
  const times: Record<string, number> = {};
  let start = performance.now();
  stream.write(0, nothing);
  await stream.flush();
  const chunk = new Uint8Array(CHUNK_BYTES);
  if (kind === 'download') {
    for (let got = 0; got < amount; got += CHUNK_BYTES) {
      if (!stream.tryReadInto(1, chunk)) await stream.readInto(1, chunk);
    }
  } else if (kind === 'upload') {
    for (let sent = 0; sent < amount; sent += CHUNK_BYTES) {
      if (!stream.write(1, chunk)) await stream.flush();
    }
  } else {
    const choices = choicesFor(amount);
    const receiver = await setUpReceiver(stream);
    await stream.readInto(0, nothing);
    times.setUp = performance.now() - start;
    start = performance.now();
    if (kind === 'random') await receiveRandom(receiver, choices);
    else for await (const _block of receiver.blocks(choices));
  }
  await stream.readInto(0, nothing);
  times[kind] = performance.now() - start;
  await channel.close();
  return times;
}

function choicesFor(count: number): Uint8Array {
  return new Uint8Array(count).map((_, i) => (i ^ (i >> 3)) & 1);
}

function row(what: string, milliseconds: number, amount: number, unit: Row['unit']): Row {
  return { what, milliseconds, amount, unit, perSecond: amount / (milliseconds / 1000) };
}

function render(rows: readonly Row[]): string {
  return renderTable(rows, [
    words('', (row) => row.what),
    figures('time', (row) => formatQuantity(row.milliseconds, 'ms')),
    figures('per second', ({ unit, perSecond }) => {
      if (perSecond <= 1e5) return '';
      const millions = perSecond / 1e6;
      return unit === 'bytes' ? `${millions.toFixed(0)} MB` : `${millions.toFixed(2)} million`;
    }),
  ]);
}

const { transfers, megabytes, repetitions, json } = benchmark({
  name: 'bench:ot',
  description: 'Times oblivious transfers and the channel between garbler and evaluator.',
  explanation: EXPLANATION,
  example: '--transfers 5000000',
})
  .option('--transfers <count>', 'transfers per repetition', wholeNumber(), 2_000_000)
  .option('--megabytes <count>', 'megabytes per repetition', wholeNumber(), 512)
  .option('--repetitions <count>', 'repetitions that count', wholeNumber(), 5)
  .parse()
  .opts<{ transfers: number; megabytes: number; repetitions: number; json?: true }>();

const server = fork(SERVER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
const [address] = (await once(server, 'message')) as [Address];
const bytes = Math.ceil((megabytes * 1e6) / CHUNK_BYTES) * CHUNK_BYTES;
const remote = (job: Job) => medians(repetitions, () => overTls(address, job));

const MEASURING: Readonly<Record<string, () => Promise<Row[]>>> = {
  'one process': async () => {
    const times = await medians(repetitions, () => inOneProcess(transfers));
    return [
      row('one process: set-up', times.setUp!, 128, 'transfers'),
      row('one process: correlated', times.correlated!, transfers, 'transfers'),
      row('one process: random', times.random!, transfers, 'transfers'),
    ];
  },
  'two processes, correlated': async () => {
    const times = await remote({ kind: 'correlated', amount: transfers });
    return [
      row('two processes: set-up', times.setUp!, 128, 'transfers'),
      row('two processes: correlated', times.correlated!, transfers, 'transfers'),
    ];
  },
  'two processes, random': async () => {
    const times = await remote({ kind: 'random', amount: transfers });
    return [row('two processes: random', times.random!, transfers, 'transfers')];
  },
  'channel, garbler to evaluator': async () => {
    const times = await remote({ kind: 'download', amount: bytes });
    return [row('channel: garbler to evaluator', times.download!, bytes, 'bytes')];
  },
  'channel, evaluator to garbler': async () => {
    const times = await remote({ kind: 'upload', amount: bytes });
    return [row('channel: evaluator to garbler', times.upload!, bytes, 'bytes')];
  },
};
const rows = await measureEach(
  Object.entries(MEASURING),
  ([name]) => name,
  ([, measure]) => measure(),
);
server.disconnect();
if (json) await printJson({ rows });
else console.log(`${render(rows)}\n${EXPLANATION}`);
