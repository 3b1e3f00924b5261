/** The runs of both servers by `rotated`, by the matrix that is decomposed. */
import type { Result } from '@eigenveil/methods';
import type { StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import type { Session } from '../garbling/index.ts';
import type { Rotation } from '../programs/form.ts';
import { programBy } from '../programs/index.ts';
import type { Computation, CspInput, DataUserInput } from '../protocol.ts';
import { answerCorrelation, askCorrelation } from './correlation.ts';
import { answerRotated, type CspLattice } from './csp.ts';
import { askRotated, type UserLattice } from './data-user.ts';
import { answerPencil } from './pencil/csp.ts';
import { askPencil } from './pencil/data-user.ts';
import type { RandomBits } from './random.ts';
import { drawPencilSecrets, drawSecrets, drawSketchSecrets } from './secrets.ts';
import { answerSketch } from './sketch/csp.ts';
import { askSketch } from './sketch/data-user.ts';

/** One server's ends, each opened when it is called for, with randomness of this answer alone. */
interface Ends<Lattice> {
  readonly stream: MessageStream;
  readonly lattice: () => Lattice;
  /** A circuit before the products. */
  readonly session: () => Promise<Session>;
}

interface CspEnds extends Ends<Promise<CspLattice>> {
  readonly random: RandomBits;
}

interface Run {
  readonly answer: (ends: CspEnds, asked: Computation, input: CspInput) => Promise<void>;
  readonly ask: (ends: Ends<UserLattice>, asked: Computation, input: DataUserInput) => Promise<Result>;
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
    answer: ({ stream, lattice, random }, asked, input) =>
      answerSketch(stream, lattice, asked, input, (parameters) => drawSketchSecrets(parameters, random)),
    ask: ({ stream, lattice }, asked, input) => askSketch(stream, lattice, asked, input),
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
