/**
 * The two-party protocol `rotated`: the data user decomposes the scatter matrix, or the pencil of a discriminant method, behind secret random
 * rotations, in the clear, and the CSP rotates the vectors back. docs/rotated.md has the protocol, what it leaks and its proof.
 */
import { isStandardised, placesOf, valueBitsOf } from '@eigenveil/task';
import { withAbort } from './channel/abort.ts';
import type { Channel } from './channel/channel.ts';
import { MessageStream } from './channel/message-stream.ts';
import { TwoPartyError } from './errors.ts';
import { EvaluatorSession, GarblerSession } from './garbling/index.ts';
import { ROW_BYTES } from './oblivious-transfer/extension.ts';
import { setUpReceiver, setUpSender } from './oblivious-transfer/index.ts';
import { systemRandomness } from './oblivious-transfer/randomness.ts';
import { multiplyEachChosen, multiplyEachCorrelated } from './products/index.ts';
import type { TwoPartyProtocol } from './protocol.ts';
import { checkRotated } from './rotated/check.ts';
import { answerCorrelation, askCorrelation } from './rotated/correlation.ts';
import { answerRotated } from './rotated/csp.ts';
import { askRotated } from './rotated/data-user.ts';
import { rotatedRingBits } from './rotated/parameters.ts';
import { answerPencil } from './rotated/pencil/csp.ts';
import { askPencil } from './rotated/pencil/data-user.ts';
import { pencilRingBits } from './rotated/pencil/parameters.ts';
import { drawPencilSecrets } from './rotated/pencil/secrets.ts';
import type { Chooser, Correlator } from './rotated/products.ts';
import { RandomBits } from './rotated/random-bits.ts';
import { drawSecrets } from './rotated/secrets.ts';

export const rotated: TwoPartyProtocol = {
  isPrivate: true,
  answersOnce: true,

  check: ({ task, program }) => checkRotated(task, program),

  // A circuit adds the shares of statistics whose features are standardised.
  shareBits: (task) =>
    isStandardised(task.method)
      ? valueBitsOf(task)
      : new Array<number>(placesOf(task).length).fill(
          task.method.kind === 'pca' ? rotatedRingBits(task) : pencilRingBits(task),
        ),

  async runCsp(channel, { task, program }, { shares, verifiedOwners, markAnswered }) {
    await withAbort(channel, async () => {
      checkRotated(task, program);
      const stream = new MessageStream(channel);
      const chooser = async (): Promise<Chooser> => {
        const receiver = await setUpReceiver(stream);
        return { multiply: (products) => multiplyEachChosen(receiver, products) };
      };
      const input = { shares, verifiedOwners, markAnswered };
      const random = new RandomBits(systemRandomness);
      await tellingOwners(channel, () => {
        if (isStandardised(task.method)) {
          const means = { session: () => GarblerSession.open(stream), products: chooser };
          return answerCorrelation(stream, means, { task, program }, input, random);
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

  async runDataUser(channel, { task, program }, input) {
    return await withAbort(channel, async () => {
      checkRotated(task, program);
      const stream = new MessageStream(channel);
      const correlator = async (): Promise<Correlator> => {
        const sender = await setUpSender(stream, drawDelta());
        return { multiply: (products) => multiplyEachCorrelated(sender, products) };
      };
      return await hearingOwners(() => {
        if (isStandardised(task.method)) {
          const means = { session: () => EvaluatorSession.open(stream), products: correlator };
          return askCorrelation(stream, means, { task, program }, input);
        }
        const ask = task.method.kind === 'pca' ? askRotated : askPencil;
        return ask(stream, correlator, { task, program }, input);
      });
    });
  },
};

/** The secret that the transfers of this session share. */
function drawDelta(): Uint8Array {
  const delta = Uint8Array.from(systemRandomness(ROW_BYTES));
  delta[0] = delta[0]! | 1;
  return delta;
}

const OWNER_COUNT = 'ERR_OWNER_COUNT';

/** The data user knows what it aggregated, so that it may be told when the number of owners is refused. */
async function tellingOwners<T>(channel: Channel, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TwoPartyError && error.code === OWNER_COUNT) await channel.abort(OWNER_COUNT);
    throw error;
  }
}

async function hearingOwners<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TwoPartyError && error.reason === OWNER_COUNT) {
      throw new TwoPartyError(OWNER_COUNT, 'the CSP refused the number of owners', { cause: error });
    }
    throw error;
  }
}
