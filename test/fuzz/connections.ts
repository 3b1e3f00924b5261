/** The two-party computation with a line that changes messages: both ends must end, each with a result or a stable code. */
import { systemRandomness } from '@eigenveil/privacy';
import { draw, sharesAtCsp, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { addStatistics, flatten, layout } from '@eigenveil/statistics';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { type Channel, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { memoryChannelPair } from '@eigenveil/two-party/insides';
import fc from 'fast-check';
import { type LabelledRows, madeUpHistogram, madeUpProposal, summarise } from '../support/tasks.ts';
import { mutatedBytes } from './mutate.ts';
import { asBase64, expectServiceCode, type Target, target, within } from './target.ts';

const LONGEST_MILLISECONDS = 30_000;
/** After fewer bytes than announced both ends wait for the other; far more than any step of these small tasks takes. */
const SILENCE_MILLISECONDS = 3000;

/** What the line does to one frame: it edits it, doubles it, sends other bytes instead, or breaks there. */
interface Interference {
  readonly sender: 'garbler' | 'evaluator';
  /** Part of the frames that this end sends. */
  readonly frame: number;
  readonly kind: 'edit' | 'cut' | 'double' | 'replace';
  readonly edits: readonly { readonly at: number; readonly mask: number }[];
  readonly bytes: Uint8Array;
}

const Interferences: fc.Arbitrary<Interference> = fc.record({
  sender: fc.constantFrom('garbler', 'evaluator'),
  frame: fc.nat(0xffff),
  kind: fc.constantFrom('edit', 'edit', 'edit', 'edit', 'cut', 'double', 'replace'),
  edits: fc.array(fc.record({ at: fc.nat(0xffff), mask: fc.integer({ min: 1, max: 255 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  bytes: mutatedBytes([new Uint8Array(64), new Uint8Array(16).fill(255)]),
});

const ROWS: LabelledRows = {
  values: [
    [0.5, -0.25],
    [-0.5, 0.75],
    [0.125, 0.25],
    [1, -1],
  ],
  classes: [[], [], [], []],
};

export async function connectionTargets(): Promise<Target[]> {
  const common = {
    components: 1,
    fractionBits: 4,
    maximumOwners: 2,
    maximumSamplesPerOwner: 4,
    allowFullRank: true,
  };
  const tasks: TaskProposal[] = [
    madeUpProposal('pca', 2, [], { ...common, twoParty: 'simulated' }),
    madeUpProposal('pca', 2, [], { ...common, twoParty: 'garbled' }),
    madeUpProposal('pca', 2, [], {
      ...common,
      twoParty: 'rotated',
      outputs: ['spectrum', 'sampleCount'],
    }),
    madeUpHistogram({ maximumOwners: 2, maximumSamplesPerOwner: 4 }),
  ];
  const weights = { simulated: 1, garbled: 0.02, rotated: 0.02, linear: 1 };
  return Promise.all(
    tasks.map(async (task) => {
      // An undisturbed run tells how many frames either end sends, and that it works.
      const frames = await compute(task);
      return target<Interference>({
        name: `two-party messages, ${task.twoParty}`,
        weight: weights[task.twoParty],
        inputs: Interferences,
        describe: (it) => JSON.stringify({ ...it, bytes: asBase64(it.bytes) }),
        check: async (interference) => void (await compute(task, interference, frames)),
      });
    }),
  );
}

type Frames = Record<Interference['sender'], number>;

async function compute(task: TaskProposal, interference?: Interference, total?: Frames): Promise<Frames> {
  const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
  const computation = { task, program: programOf(task) };
  const values = flatten(task, addStatistics(summarise(task, ROWS), summarise(task, ROWS)));
  const drawn = draw({ task, packing: layout(task) }, systemRandomness);
  const slots = values.map((value, i) => value + drawn.blinding.at(i)!);
  const shares = sharesAtCsp(task, slots, systemRandomness);
  const others = sharesAtDataUser(task, drawn);
  const counts: Frames = { garbler: 0, evaluator: 0 };
  const at =
    interference && total ? Math.floor((interference.frame / 0x10000) * total[interference.sender]) : -1;
  const [left, right] = memoryChannelPair({ silenceMilliseconds: SILENCE_MILLISECONDS });
  const tap = (channel: Channel, sender: Interference['sender']): Channel => ({
    async send(message, released) {
      const isStruck = interference?.sender === sender && counts[sender] === at;
      counts[sender] += 1;
      if (!isStruck) return channel.send(message, released);
      if (interference.kind === 'cut') return channel.close();
      for (const changed of disturb(message, interference)) await channel.send(changed);
      released?.();
    },
    receive: () => channel.receive(),
    close: () => channel.close(),
    abort: (code) => channel.abort(code),
    get bytesSent() {
      return channel.bytesSent;
    },
    get bytesReceived() {
      return channel.bytesReceived;
    },
  });
  const garbling = { shares, verifiedOwners: 2, markAnswered: async () => {} };
  const end = async (work: Promise<unknown>, channel: Channel) => {
    try {
      await work;
      return undefined;
    } catch (error) {
      return error;
    } finally {
      void channel.close(); // what the services do
    }
  };
  const [garbler, evaluator] = [tap(left, 'garbler'), tap(right, 'evaluator')];
  const errors = await within(
    LONGEST_MILLISECONDS,
    Promise.all([
      end(protocol.runCsp(garbler, computation, garbling), garbler),
      end(protocol.runDataUser(evaluator, computation, { shares: others }), evaluator),
    ]),
  );
  for (const error of errors) {
    if (error === undefined) continue;
    if (interference === undefined) throw error;
    expectServiceCode(error);
  }
  return counts;
}

function disturb(message: Uint8Array, { kind, edits, bytes }: Interference): Uint8Array[] {
  const copy = new Uint8Array(message);
  if (kind === 'double') return [copy, copy];
  if (kind === 'replace') return [bytes];
  for (const { at, mask } of edits) {
    const i = Math.floor((at / 0x10000) * copy.length);
    if (i < copy.length) copy[i]! ^= mask;
  }
  return [copy];
}
