/** Oblivious transfers per second within one process and between two over TLS, and what the channel carries in either direction. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectChannel } from '@eigenveil/two-party';
import {
  MessageStream,
  memoryChannelPair,
  receiveRandom,
  sendRandom,
  setUpReceiver,
  setUpSender,
} from '@eigenveil/two-party/insides';
import { median } from '../instrument/figure.ts';
import { setting, wholeNumber } from '../instrument/settings.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { type Address, CHUNK_BYTES, type Job } from './ot-jobs.ts';

const TRANSFERS = setting({
  name: 'transfers',
  says: 'transfers per repetition',
  parse: wholeNumber(),
  quick: 100_000,
  full: 2_000_000,
});
const MEGABYTES = setting({
  name: 'megabytes',
  says: 'megabytes per repetition',
  parse: wholeNumber(),
  quick: 16,
  full: 512,
});
const REPETITIONS = setting({
  name: 'repetitions',
  says: 'repetitions that count',
  parse: wholeNumber(),
  quick: 2,
  full: 5,
});

const BASE_TRANSFERS = 128;
const SERVER = fileURLToPath(new URL('ot-server.ts', import.meta.url));
/** The measurements and their places; `both` parties share one core. */
const PLACES: readonly { readonly place: string; readonly kind: Job['kind'] | 'both' }[] = [
  { place: 'one process', kind: 'both' },
  { place: 'two processes', kind: 'correlated' },
  { place: 'two processes', kind: 'random' },
  { place: 'garbler to evaluator', kind: 'download' },
  { place: 'evaluator to garbler', kind: 'upload' },
];

/** Milliseconds of each step. */
type Times = Readonly<Record<string, number>>;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function inOneProcess(count: number): Promise<Times> {
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
  return { 'set-up': setUp, correlated, random };
}

async function overTls({ url, ca }: Address, { kind, amount }: Job): Promise<Times> {
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
    times['set-up'] = performance.now() - start;
    start = performance.now();
    if (kind === 'random') await receiveRandom(receiver, choices);
    else for await (const _block of receiver.blocks(choices));
  }
  await stream.readInto(0, nothing);
  times[kind] = performance.now() - start;
  await channel.close();
  return times;
}

const choicesFor = (count: number): Uint8Array => new Uint8Array(count).map((_, i) => (i ^ (i >> 3)) & 1);

/** Runs with a garbler's process that ends after it. */
async function withServer<T>(run: (address: Address) => Promise<T>): Promise<T> {
  const server = fork(SERVER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [address] = (await once(server, 'message')) as [Address];
    return await run(address);
  } finally {
    server.disconnect();
  }
}

export const ot = defineStudy({
  id: 'speed/ot',
  isApart: true,
  settings: [TRANSFERS, MEGABYTES, REPETITIONS],
  plan: ({ settings }) => {
    const bytes = Math.ceil((settings.of(MEGABYTES) * 1e6) / CHUNK_BYTES) * CHUNK_BYTES;
    const cases = PLACES.map(({ place, kind }) => ({
      ...{ place, kind, repetitions: settings.of(REPETITIONS) },
      amount: isChannel(kind) ? bytes : settings.of(TRANSFERS),
    }));
    return { cases };
  },
  titleOf: ({ place, kind }) => `${place}, ${kind}`,
  expectedSeconds: ({ kind, amount, repetitions }) =>
    (repetitions + 1) * (isChannel(kind) ? amount / 5e8 : amount / 1e6),
  async measure({ kind, amount, repetitions }): Promise<Tidy[]> {
    const records: Tidy[] = [];
    const repeat = async (run: () => Promise<Times>) => {
      // The first is a warm-up.
      for (let repetition = 0; repetition <= repetitions; repetition += 1)
        for (const [step, ms] of Object.entries(await run()))
          if (repetition > 0) records.push({ step, repetition, ms, ...rateOf(step, amount, ms) });
    };
    if (kind === 'both') await repeat(() => inOneProcess(amount));
    else await withServer((address) => repeat(() => overTls(address, { kind, amount })));
    return records;
  },
  columns: {
    place: { title: 'where' },
    step: { title: 'what', values: { download: 'channel', upload: 'channel' } },
  },
  tables: {
    transfers: {
      caption: 'Transfers and the channel',
      // Set-up is the same for both kinds of transfers.
      where: ({ step, kind }) => step !== 'set-up' || kind !== 'random',
      rows: ['place', 'step'],
      cells: {
        time: median('ms', { unit: 'ms' }),
        'million transfers a second': median('millions', { digits: 2 }),
        'MB a second': median('megabytes', { digits: 0 }),
      },
    },
  },
  words: new URL('ot.md', import.meta.url),
});

const isChannel = (kind: string) => kind === 'download' || kind === 'upload';

/** Only the time of the set-up says something. */
function rateOf(step: string, amount: number, ms: number): Tidy {
  if (step === 'set-up') return { transfers: BASE_TRANSFERS };
  const millions = amount / 1e6 / (ms / 1000);
  return isChannel(step) ? { megabytes: millions } : { millions };
}
