/**
 * Wald's sequential probability ratio test (Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16(2),
 * 1945), one test after the other: are these the user's windows, or an impostor's?
 *
 * A test ends for the user when the likelihood ratio of impostor to user falls to β, and against the user when it rises to 1/α. These bounds
 * are a little wider than Wald's approximate ones, β/(1 − α) and (1 − β)/α, and keep both error rates of each test for certain: under
 * the user's model the ratio is a nonnegative martingale that begins at 1, and reaches 1/α with probability at most α (Ville 1939); likewise its
 * inverse under the impostor's. That leans on windows that are independent, and on models that are right.
 */
import { checkScore, type Engine, type EngineState, invalidSettings } from './decision.ts';

/** The logarithm of the likelihood ratio of impostor to user by score, as a staircase that never falls. */
export interface LikelihoodRatios {
  /** Scores at which the steps are, ascending. A score at an edge belongs to the step above. */
  readonly edges: readonly number[];
  /** One more than edges, finite, never falling; the first below 0, the last above. */
  readonly logRatios: readonly number[];
}

export interface SequentialSettings extends LikelihoodRatios {
  /** α of a test at `allow`, in (0, 0.5): how often it asks a user for a step-up who is the right one. */
  readonly falseStepUp: number;
  /** α of a test at `step-up`, in (0, 0.5): how often it locks a user out who is the right one. */
  readonly falseLock: number;
  /** β, in (0, 0.5): how often a test ends for an impostor. */
  readonly missedImpostor: number;
}

export class SequentialEngine implements Engine {
  readonly #edges: Float64Array;
  readonly #logRatios: Float64Array;
  readonly #toStepUp: number;
  readonly #toLock: number;
  readonly #toUser: number;

  /** @throws ERR_SETTINGS_INVALID when a setting is out of its range */
  constructor(settings: SequentialSettings) {
    checkSettings(settings);
    this.#edges = Float64Array.from(settings.edges);
    this.#logRatios = Float64Array.from(settings.logRatios);
    this.#toStepUp = -Math.log(settings.falseStepUp);
    this.#toLock = -Math.log(settings.falseLock);
    this.#toUser = Math.log(settings.missedImpostor);
  }

  start(): EngineState {
    return { decision: 'step-up', evidence: 0, confident: 0 };
  }

  observe(state: EngineState, score: number): EngineState {
    checkScore(score);
    const { decision } = state;
    if (decision === 'lock') return state;
    const evidence = state.evidence + this.#logRatio(score);
    if (evidence >= (decision === 'allow' ? this.#toStepUp : this.#toLock))
      return { decision: decision === 'allow' ? 'step-up' : 'lock', evidence: 0, confident: 0 };
    // While the evidence is on the user's side, windows count as confident.
    const confident = decision === 'allow' && evidence <= 0 ? state.confident + 1 : 0;
    return { decision, evidence: evidence <= this.#toUser ? 0 : evidence, confident };
  }

  confirmed(state: EngineState): EngineState {
    return state.decision === 'lock' ? state : { decision: 'allow', evidence: 0, confident: 0 };
  }

  #logRatio(score: number): number {
    const edges = this.#edges;
    let [from, to] = [0, edges.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (edges[middle]! <= score) from = middle + 1;
      else to = middle;
    }
    return this.#logRatios[from]!;
  }
}

function checkSettings(settings: SequentialSettings): void {
  const { falseStepUp, falseLock, missedImpostor, edges, logRatios } = settings;
  for (const [name, rate] of Object.entries({ falseStepUp, falseLock, missedImpostor }))
    if (!(rate > 0 && rate < 0.5))
      throw invalidSettings(`"${name}" expected an error rate in (0, 0.5), got ${rate}`);
  if (edges.length < 1 || logRatios.length !== edges.length + 1)
    throw invalidSettings(
      `"logRatios" expected one entry more than "edges", got ${logRatios.length} and ${edges.length}`,
    );
  if (!ascending(edges, (a, b) => a < b)) throw invalidSettings('"edges" expected finite scores, ascending');
  if (!ascending(logRatios, (a, b) => a <= b) || !(logRatios[0]! < 0 && logRatios.at(-1)! > 0))
    throw invalidSettings('"logRatios" expected finite numbers that never fall, from below 0 to above 0');
}

function ascending(values: readonly number[], inOrder: (a: number, b: number) => boolean): boolean {
  return values.every((value, i) => Number.isFinite(value) && (i === 0 || inOrder(values[i - 1]!, value)));
}
