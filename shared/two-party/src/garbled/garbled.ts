/**
 * The two-party protocol `garbled`: Yao's garbled circuits. The CSP garbles the task's program, the data user evaluates it and
 * alone learns the result. Every connection draws fresh secrets, so a computation that is started again garbles nothing twice
 * with the same labels.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { withAbort } from '../channel/abort.ts';
import { MessageStream } from '../channel/message-stream.ts';
import {
  beforeReveal,
  CountingGates,
  CountingSession,
  EvaluatorSession,
  GarblerSession,
  observed,
} from '../garbling/index.ts';
import { runProgram } from '../programs/index.ts';
import { type Computation, hangUp, type Progress, type TwoPartyProtocol } from '../protocol.ts';
import { STATISTICS } from '../shares.ts';

/** Computations that take less have no use for a plan, whose counting would only slow them down. */
const PLAN_AFTER_MILLISECONDS = 1000;

export const garbled: TwoPartyProtocol = {
  isPrivate: true,
  answersOnce: false,

  ...STATISTICS,

  runCsp(channel, { task, program }, garbler) {
    return withAbort(channel, async () => {
      // A data user that fails the check of the transfers has guessed bits of a Δ of this connection alone. So nobody counts how often:
      // whatever it guesses over N connections, it gains at most N times the bound of one.
      const session = await GarblerSession.open(new MessageStream(channel));
      // Until then the evaluator has labels, which mean nothing to it.
      const marked = beforeReveal(session, garbler.markAnswered);
      await runProgram(marked, task, program, { garbler });
    });
  },

  runDataUser(channel, computation, evaluator, onProgress) {
    const { task, program } = computation;
    return withAbort(
      channel,
      async () => {
        const session = await EvaluatorSession.open(new MessageStream(channel), () =>
          hangUp(channel, evaluator),
        );
        const plan = new Plan(computation);
        const watched = observed(session, ({ andGates }) =>
          onProgress?.({ unit: 'AND gates', done: andGates, ...plan.counted }),
        );
        if (onProgress) plan.start();
        try {
          const decomposition = await runProgram(watched, task, program, { evaluator });
          // Only a garbler's session learns nothing.
          if (decomposition === undefined) throw new TypeError('the evaluator expected a decomposition');
          return decomposition;
        } finally {
          plan.stop();
        }
      },
      evaluator.beforeAbort,
    );
  },
};

/** Counts a program's gates in the evaluator's idle time: while it waits for the garbler, which has more to do. */
class Plan {
  counted: Pick<Progress, 'planned'> = {};
  readonly #computation: Computation;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(computation: Computation) {
    this.#computation = computation;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      // An error of the program is the evaluator's to report; here it only means that nothing is planned.
      this.#count().catch(() => undefined);
    }, PLAN_AFTER_MILLISECONDS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #count(): Promise<void> {
    const { task, program } = this.#computation;
    const session = new CountingSession(new CountingGates());
    await runProgram(
      observed(session, async () => {
        await turn();
        if (this.#stopped) throw new Error('the computation ended before its gates were counted');
      }),
      task,
      program,
      {},
    );
    this.counted = { planned: session.gates.andGates };
  }
}
