/** The runs of both servers by `rotated`, by the matrix that is decomposed, and the sizes of its products. */
import type { Result } from '@eigenveil/methods';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import type { Session } from '../garbling/index.ts';
import { productsOf } from '../lattice/opening.ts';
import { checkSize, digitProducts } from '../products/layout.ts';
import type { Rotation } from '../programs/form.ts';
import { programBy } from '../programs/index.ts';
import type { Computation, CspInput, DataUserInput } from '../protocol.ts';
import { answerCorrelation, askCorrelation } from './correlation.ts';
import { answerRotated, type CspLattice } from './csp.ts';
import { askRotated, type UserLattice } from './data-user.ts';
import { answerPencil } from './pencil/csp.ts';
import { askPencil } from './pencil/data-user.ts';
import { pencilPlan } from './pencil/steps.ts';
import type { RandomBits } from './random.ts';
import { drawPencilSecrets, drawSecrets, drawSketchSecrets } from './secrets.ts';
import { digitBitsOf, type Exchange, exchangesOfSketch } from './sizes.ts';
import { answerSketch } from './sketch/csp.ts';
import { askSketch } from './sketch/data-user.ts';
import type { Chooser, Correlator, CspProducts, DataUserProducts } from './steps.ts';
import { turningPlan } from './turning.ts';

/** One server's ends, each opened when it is called for, with randomness of this answer alone. */
interface Ends<Lattice, Products, BothWays> {
  readonly stream: MessageStream;
  readonly lattice: () => Lattice;
  readonly products: () => Promise<Products>;
  readonly bothWays: () => Promise<BothWays>;
  /** A circuit before the products. */
  readonly session: () => Promise<Session>;
}

interface CspEnds extends Ends<Promise<CspLattice>, Chooser, CspProducts> {
  readonly random: RandomBits;
}

interface Run {
  /**
   * Lists the exchanges in their order, with digits of the default length; without them all products are those of turningPlan().
   */
  readonly exchanges?: (task: StatisticsTask, program: Program) => readonly Exchange[];
  readonly answer: (ends: CspEnds, asked: Computation, input: CspInput) => Promise<void>;
  readonly ask: (
    ends: Ends<UserLattice, Correlator, DataUserProducts>,
    asked: Computation,
    input: DataUserInput,
  ) => Promise<Result>;
}

const RUNS: Readonly<Record<Rotation['matrix'], Run>> = {
  scatter: {
    answer: ({ stream, lattice, random }, asked, input) =>
      answerRotated(stream, lattice, asked, input, (parameters) =>
        drawSecrets(parameters, asked.program.components, random),
      ),
    ask: ({ stream, lattice }, asked, input) => askRotated(stream, lattice, asked, input),
  },
  correlation: {
    answer: ({ stream, random, ...means }, asked, input) =>
      answerCorrelation(stream, means, asked, input, random),
    ask: ({ stream, ...means }, asked, input) => askCorrelation(stream, means, asked, input),
  },
  sketch: {
    exchanges: exchangesOfSketch,
    answer: ({ stream, bothWays, random }, asked, input) =>
      answerSketch(stream, bothWays, asked, input, (parameters) => drawSketchSecrets(parameters, random)),
    ask: ({ stream, bothWays }, asked, input) => askSketch(stream, bothWays, asked, input),
  },
  pencil: {
    answer: ({ stream, lattice, random }, asked, input) =>
      answerPencil(stream, lattice, asked, input, (parameters) => drawPencilSecrets(parameters, random)),
    ask: ({ stream, lattice }, asked, input) => askPencil(stream, lattice, asked, input),
  },
};

/** @throws ERR_PROGRAM_INVALID for a method that `rotated` does not compute */
export function runOf(task: StatisticsTask): Run {
  return RUNS[programBy('rotated', task).matrix];
}

/** Lists the exchanges of a pencil or a sketch in their order. */
export function exchangesOf(task: StatisticsTask, program: Program): readonly Exchange[] {
  const digitBits = digitBitsOf(task);
  const exchanges = runOf(task).exchanges?.(task, program) ?? [];
  return exchanges.map((exchange) =>
    exchange.map((wave) => wave.map((product) => checkSize({ ...product, digitBits }))),
  );
}

/** Returns the number of products that a data user's progress counts; those of a circuit that comes before are not among them. */
export async function plannedProducts(task: StatisticsTask, program: Program): Promise<number> {
  const { matrix } = programBy('rotated', task);
  if (matrix !== 'sketch')
    return productsOf(await (matrix === 'pencil' ? pencilPlan : turningPlan)(task, program));
  return exchangesOf(task, program)
    .flat(2)
    .reduce((sum, size) => sum + digitProducts(size), 0);
}
