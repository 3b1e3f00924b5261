/**
 * The two-party protocol `rotated`: the data user decomposes the scatter matrix, or the pencil of a
 * discriminant method, behind secret random rotations, in the clear, and the CSP rotates the vectors back.
 * docs/rotated.md has the protocol, what it leaks and its proof.
 */
import { methodOf } from '@eigenveil/methods';
import { computedBitsOf, type Program, type StatisticsTask } from '@eigenveil/task';
import { hearing, tellingOwners, withAbort } from './channel/abort.ts';
import type { Channel } from './channel/channel.ts';
import { MessageStream } from './channel/message-stream.ts';
import { type BeforeChecks, Transcript } from './channel/transcript.ts';
import { checkRotated } from './check-task.ts';
import { EvaluatorSession, GarblerSession } from './garbling/index.ts';
import { drawDelta, setUpReceiver, setUpSender } from './oblivious-transfer/index.ts';
import {
  keyFrom,
  type RandomSource,
  SEED_BYTES,
  streamsFrom,
  systemRandomness,
} from './oblivious-transfer/randomness.ts';
import { multiplyEachChosen, multiplyEachCorrelated } from './products/index.ts';
import { digitProducts } from './products/layout.ts';
import type { KeptAnswer, Progress, TwoPartyProtocol } from './protocol.ts';
import { answerCorrelation, askCorrelation } from './rotated/correlation.ts';
import { answerRotated } from './rotated/csp.ts';
import { askRotated } from './rotated/data-user.ts';
import { rotatedRingBits } from './rotated/parameters.ts';
import { answerPencil } from './rotated/pencil/csp.ts';
import { askPencil } from './rotated/pencil/data-user.ts';
import { pencilRingBits } from './rotated/pencil/parameters.ts';
import { RandomBits } from './rotated/random.ts';
import { drawPencilSecrets, drawSecrets, drawSketchSecrets } from './rotated/secrets.ts';
import { digitBitsOf, exchangesOf } from './rotated/sizes.ts';
import { answerSketch } from './rotated/sketch/csp.ts';
import { askSketch } from './rotated/sketch/data-user.ts';
import { sketchParameters } from './rotated/sketch/parameters.ts';
import type { Chooser, Correlator, CspProducts, DataUserProducts } from './rotated/steps.ts';

export const rotated: TwoPartyProtocol = {
  isPrivate: true,
  answersOnce: true,

  // A circuit adds the shares of statistics whose features are standardised.
  shareBits: (task) => {
    const bits = computedBitsOf(task);
    return methodOf(task).decomposes === 'correlation' ? bits : bits.fill(ringBitsOf(task));
  },

  async runCsp(channel, { task, program }, input) {
    await withAbort(channel, async () => {
      checkRotated(task, program);
      // The CSP gives one answer, and a failed guess is one: it is kept before it is checked, whatever
      // becomes of closedByFaults().
      const { stream, randomness } = begin(channel, input.answer, 'all');
      const chooser = () => openChooser(stream, randomness('products'), task);
      const bothWays = async (): Promise<CspProducts> => ({
        ...(await chooser()),
        reversed: await openCorrelator(stream, randomness('reversed products'), task),
      });
      const random = new RandomBits(randomness('rotation'));
      await tellingOwners(channel, () => {
        if (methodOf(task).decomposes === 'correlation') {
          const session = () => GarblerSession.open(stream, randomness('circuit'));
          return answerCorrelation(stream, { session, products: chooser }, { task, program }, input, random);
        }
        if (task.sketch !== undefined) {
          return answerSketch(stream, bothWays, { task, program }, input, (parameters) =>
            drawSketchSecrets(parameters, random),
          );
        }
        return task.method.kind === 'pca'
          ? answerRotated(stream, chooser, { task, program }, input, (parameters) =>
              drawSecrets(parameters, program.components, random),
            )
          : answerPencil(stream, chooser, { task, program }, input, (parameters) =>
              drawPencilSecrets(parameters, random),
            );
      });
    });
  },

  async runDataUser(channel, { task, program }, input, onProgress) {
    return await withAbort(
      channel,
      async () => {
        checkRotated(task, program);
        // A guess at what its own bits choose is the only one, too; other checks of its own are counted (see
        // failures.ts of the service).
        const { stream, randomness } = begin(channel, input.answer, 'products');
        const onWork = onProgress && workTold(task, program, onProgress);
        const correlator = () => openCorrelator(stream, randomness('products'), task, onWork);
        const bothWays = async (): Promise<DataUserProducts> => ({
          ...(await correlator()),
          reversed: await openChooser(stream, randomness('reversed products'), task, onWork),
        });
        return await hearing(() => {
          if (methodOf(task).decomposes === 'correlation') {
            const session = () => EvaluatorSession.open(stream, undefined, randomness('circuit'));
            return askCorrelation(stream, { session, products: correlator }, { task, program }, input);
          }
          if (task.sketch !== undefined) return askSketch(stream, bothWays, { task, program }, input);
          const ask = task.method.kind === 'pca' ? askRotated : askPencil;
          return ask(stream, correlator, { task, program }, input);
        });
      },
      input.beforeAbort,
    );
  },
};

/** A server's end of products whose choices are its own bits. */
async function openChooser(
  stream: MessageStream,
  random: RandomSource,
  task: StatisticsTask,
  onWork?: (digitProducts: number) => void,
): Promise<Chooser> {
  const receiver = await setUpReceiver(stream, random);
  const digitBits = digitBitsOf(task);
  return {
    multiply: (products) =>
      multiplyEachChosen(
        receiver,
        products.map((product) => ({ ...product, digitBits })),
        onWork,
      ),
  };
}

/** Its end of products whose choices are the peer's bits. */
async function openCorrelator(
  stream: MessageStream,
  random: RandomSource,
  task: StatisticsTask,
  onWork?: (digitProducts: number) => void,
): Promise<Correlator> {
  const sender = await setUpSender(stream, drawDelta(random), random);
  const digitBits = digitBitsOf(task);
  return {
    multiply: (products) =>
      multiplyEachCorrelated(
        sender,
        products.map((product) => ({ ...product, digitBits })),
        onWork,
      ),
  };
}

/** Returns the ring bits of every share that both servers begin with. */
function ringBitsOf(task: StatisticsTask): number {
  if (task.sketch !== undefined) return sketchParameters(task, { components: 1 }).shareRing;
  return task.method.kind === 'pca' ? rotatedRingBits(task) : pencilRingBits(task);
}

/**
 * Raised whenever the same secrets and messages would make other messages or tags, at either end; a test
 * keeps the digests of both by this name.
 */
export const PROGRAM = 'eigenveil rotated 7';

/**
 * Public, as is what it counts: neither depends on what is multiplied. A circuit that comes before is not in
 * it.
 */
function workTold(
  task: StatisticsTask,
  program: Program,
  onProgress: (progress: Progress) => void,
): (digitProducts: number) => void {
  const planned = exchangesOf(task, program)
    .flat(2)
    .reduce((sum, size) => sum + digitProducts(size), 0);
  let done = 0;
  return (more) => {
    done += more;
    onProgress({ unit: 'products', done, planned });
  };
}

/**
 * A run: all that its end draws comes from the seed, and with an answer that is kept, what has come is
 * compared with the runs before.
 */
function begin(
  channel: Channel,
  answer: KeptAnswer | undefined,
  beforeChecks: BeforeChecks,
): { readonly stream: MessageStream; readonly randomness: (purpose: string) => RandomSource } {
  const seed = answer?.seed ?? systemRandomness(SEED_BYTES);
  const transcript = answer && new Transcript(keyFrom(seed, 'transcript'), PROGRAM, answer, { beforeChecks });
  return {
    stream: new MessageStream(channel, transcript),
    randomness: streamsFrom(seed),
  };
}
