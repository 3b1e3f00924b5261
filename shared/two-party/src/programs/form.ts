/** The form of what the two-party protocols know of one method. */
import type { Result } from '@eigenveil/methods';
import type { Program, StatisticsTask, TaskProposal } from '@eigenveil/task';
import type { Session } from '../garbling/index.ts';
import type { Shared } from '../shares.ts';
import type { Shares } from './inputs.ts';
import type { ResolutionBy } from './resolution.ts';

/**
 * The way in which each private protocol computes a method; one that is missing does not. `simulated` computes whatever the
 * clear reference does.
 */
export interface Programs {
  readonly garbled?: Garbled;
  readonly rotated?: Rotation;
  readonly linear?: Opened;
  /** The resolution of its eigenvalues; missing where it has none. */
  readonly resolution?: ResolutionBy;
}

type Check = (task: StatisticsTask, program: Program) => void;

export interface Garbled {
  /**
   * Refuses what the circuit does not compute.
   * @throws ERR_TASK_RANGE, ERR_PROGRAM_INVALID
   */
  readonly check?: Check;
  /** Runs it; the evaluator's session gets the result, the garbler's nothing. */
  readonly run: (
    session: Session,
    task: StatisticsTask,
    program: Program,
    shares: Shares,
  ) => Promise<Result | undefined>;
}

/** The members of a task on which its pace depends. */
export type Paced = Pick<TaskProposal, 'features' | 'components' | 'method' | 'sketch'>;

interface Waits {
  /** Returns milliseconds from the last message to the end of the task. */
  readonly pace: (task: Paced) => number;
}

/** The facts of a rotation before anybody contributes, without what runs it, so that pages load it, too. */
export interface Rotation extends Waits {
  /** The matrix that is decomposed: what servers do with its shares is in rotated/runs.ts by this name. */
  readonly matrix: 'scatter' | 'correlation' | 'sketch' | 'pencil';
  /**
   * Refuses what cannot be decomposed behind rotations.
   * @throws ERR_TASK_RANGE, ERR_PROGRAM_INVALID, ERR_FULL_RANK, ERR_NOT_POSITIVE_DEFINITE
   */
  readonly check: Check;
  /** Returns the ring bits of every share; undefined where a circuit adds the shares of statistics. */
  readonly shareRing: (task: StatisticsTask) => number | undefined;
}

/** Noisy sums that both servers open: the number of owners is the last, has no noise and is checked. */
export interface Opened extends Shared, Waits {}
