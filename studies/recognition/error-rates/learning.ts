/**
 * Templates that learn as those of the service do (services/authenticator, service.ts): from windows at `allow` after a confirmed step-up, and then from each
 * confident run, when there are enough of them.
 *
 * Whoever confirms a step-up is taken to be the person: a user passes every step-up, at once, and an impostor passes none. Users' streams go on from the end of
 * enrolment to the end. An impostor takes over a device that was unlocked just now, at the beginning of the test part, with the template of that time and frame;
 * each impostor does so by themselves, and what they teach a template meets them alone.
 */
import {
  type Engine,
  type EngineState,
  makeTemplate,
  type ScoreKind,
  Scorer,
  type Template,
  updated,
  WindowSums,
} from '@eigenveil/authentication';
import {
  type Comparison,
  equalErrorThreshold,
  errorRatesAt,
  pool,
} from '@eigenveil/testbed/recognition/error-rates';
import { least, most, only } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, ofBothSets, percent, RATE } from '../figures.ts';
import { SERVICE_ARM } from '../scoring/arms.ts';
import type { Stream } from '../scoring/comparisons.ts';
import { type Final, learn } from '../scoring/protocol.ts';
import { ratesOf } from '../scoring/rates.ts';
import type { Setting } from '../scoring/settings.ts';
import { serviceScore } from '../scoring/spaces.ts';
import { chosenFor, type OfPeople, planFor, sessionsMissing } from './chosen.ts';
import { asDistance, engineFrom } from './locks.ts';

interface LearningRule {
  /** Windows at `allow` after a confirmed step-up, and of a confident run after that, from which a template learns. */
  readonly afterStepUp: number;
  readonly afterRun: number;
  /** Share of these windows in the template that has learnt from them. */
  readonly share: number;
}

const ruleOf = (windows: number, share: number): LearningRule => ({
  afterStepUp: windows,
  afterRun: windows,
  share,
});

/**
 * The settings by name. The service has 50 and 500 windows, and a share of 0.1: more windows than nearly everybody in the study has left after enrolment. So that templates learn
 * at all, five or ten are enough here.
 */
const RULES: Readonly<Record<string, LearningRule | undefined>> = {
  never: undefined,
  '5 windows, share 0.1': ruleOf(5, 0.1),
  '5 windows, share 0.3': ruleOf(5, 0.3),
  '10 windows, share 0.1': ruleOf(10, 0.1),
  '10 windows, share 0.3': ruleOf(10, 0.3),
};

/** Windows, and how many of them a template learnt from; likewise of impostors' sessions. */
interface Learnt {
  readonly windows: number;
  readonly learnt: number;
}

interface LearningFigures {
  /** The rates on the 20 % before the test, with the templates of enrolment: all rules have the same threshold and engine. */
  readonly thresholds: readonly Comparison[];
  readonly test: readonly Comparison[];
  /** The same, if templates had learnt from users alone. */
  readonly unpoisoned: readonly Comparison[];
  readonly users: Learnt;
  readonly impostors: Learnt;
  /** The share of impostors who taught a template at all, in [0, 1]. */
  readonly impostorsWhoTaught: number;
}

/** A session of the service with the template that it has. */
export class LearningSession {
  template: Template;
  /** Windows that the template has learnt from. */
  learnt = 0;
  readonly #kind: ScoreKind;
  readonly #engine: Engine;
  readonly #rule: LearningRule | undefined;
  #scorer: Scorer;
  #state: EngineState;
  #sums: WindowSums;
  #hasLearnt = false;

  /** Begins confirmed, at `allow`. */
  constructor(template: Template, kind: ScoreKind, engine: Engine, rule: LearningRule | undefined) {
    this.template = template;
    this.#kind = kind;
    this.#engine = engine;
    this.#rule = rule;
    this.#scorer = new Scorer(template, kind);
    this.#sums = new WindowSums(template.mean);
    this.#state = engine.confirmed(engine.start());
  }

  get decision(): EngineState['decision'] {
    return this.#state.decision;
  }

  /** Returns the score by the template before it learns from this window. */
  observe(window: Float64Array): number {
    const score = serviceScore(this.#scorer, window);
    this.#state = this.#engine.observe(this.#state, asDistance(score));
    this.#sums.add(window);
    this.#learn();
    return score;
  }

  /** The person has passed a step-up; a lock was opened before. */
  confirm(): void {
    this.#state = this.#engine.confirmed(this.#engine.start());
    this.#sums = new WindowSums(this.template.mean);
    this.#hasLearnt = false;
  }

  #learn(): void {
    if (this.#rule === undefined) return;
    const { afterStepUp, afterRun, share } = this.#rule;
    const { decision, confident } = this.#state;
    const { count } = this.#sums;
    const isBroken = decision !== 'allow' || (this.#hasLearnt && confident < count);
    const isDue = !isBroken && count >= (this.#hasLearnt ? afterRun : afterStepUp);
    if (isDue) {
      this.template = updated(this.template, this.#sums.moments(), share);
      this.#scorer = new Scorer(this.template, this.#kind);
      this.#hasLearnt = true;
      this.learnt += count;
    }
    if (isBroken || isDue) this.#sums = new WindowSums(this.template.mean);
  }
}

/** @param setting of the arm with the score of the service */
export function learningFigures(
  setting: Setting,
  final: Final,
  rule: LearningRule | undefined,
): LearningFigures {
  const { windows } = learn(setting, final.learn);
  const templates = windows(final.learn).map((own) => makeTemplate(own.windows));
  const [before, test] = [windows(final.thresholds), windows(final.test)];
  const unchanging = (template: Template, { name: target }: Stream, sources: readonly Stream[]) => {
    const scorer = new Scorer(template, setting.score);
    return sources.map(
      ({ name, windows: stream }): Comparison => ({
        target,
        source: name,
        scores: stream.map((window) => serviceScore(scorer, window)),
      }),
    );
  };
  const thresholds = templates.flatMap((template, t) => unchanging(template, before[t]!, before));
  const engine = engineFrom('trust', thresholds);
  const session = (template: Template) => new LearningSession(template, setting.score, engine, rule);

  const users = { windows: 0, learnt: 0 };
  const impostors = { windows: 0, learnt: 0 };
  let taught = 0;
  const unpoisoned: Comparison[] = [];
  const comparisons = templates.flatMap((enrolled, t) => {
    const own = session(enrolled);
    const genuine = (window: Float64Array): number => {
      const score = own.observe(window);
      if (own.decision !== 'allow') own.confirm();
      return score;
    };
    before[t]!.windows.forEach(genuine);
    const atTest = own.template;
    const frozen = unchanging(atTest, test[t]!, test);
    return frozen.map((as, s): Comparison => {
      const stream = test[s]!.windows;
      if (s === t) {
        const scores = stream.map(genuine);
        users.windows += before[t]!.windows.length + stream.length;
        users.learnt += own.learnt;
        unpoisoned.push({ ...as, scores });
        return { ...as, scores };
      }
      unpoisoned.push(as);
      const impostor = session(atTest);
      const scores = stream.map((window) => impostor.observe(window));
      impostors.windows += stream.length;
      impostors.learnt += impostor.learnt;
      if (impostor.learnt > 0) taught += 1;
      return { ...as, scores };
    });
  });
  return {
    thresholds,
    test: comparisons,
    unpoisoned,
    users,
    impostors,
    impostorsWhoTaught: taught / (templates.length * (templates.length - 1)),
  };
}

/** The figures of a rule, in percent. */
function learntBy(name: string, setting: Setting, final: Final): Tidy {
  const figures = learningFigures(setting, final, RULES[name]);
  const { thresholds, test, users, impostors } = figures;
  const rates = ratesOf({ thresholds: [thresholds], test: [test] });
  const at = equalErrorThreshold(pool(thresholds));
  return {
    rule: name,
    perSample: percent(rates.perSample),
    overFive: percent(rates.overFive),
    fmr: percent(rates.atThreshold.fmr),
    fnmr: percent(rates.atThreshold.fnmr),
    fmrUnpoisoned: percent(errorRatesAt(pool(figures.unpoisoned), at).fmr),
    usersLearnt: percent(users.learnt / users.windows),
    impostorsLearnt: percent(impostors.learnt / impostors.windows),
    impostorsWhoTaught: percent(figures.impostorsWhoTaught),
  };
}

const WHOLE = { digits: 0 };
const frozen = (column: string) => ({ where: { rule: 'never' }, figure: only(column, WHOLE) });

export const learning = defineStudy<OfPeople>({
  id: 'recognition/learning',
  plan: async (asked) => {
    const { cases, omissions = [] } = await planFor(asked, 'learning', () => [{}]);
    return { cases, omissions: [...omissions, ...sessionsMissing(asked, 'learning')] };
  },
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: () => 3,
  async *measure(chosen, bench) {
    const { final, setting } = await chosenFor(chosen, bench);
    for (const rule of Object.keys(RULES)) yield learntBy(rule, setting(SERVICE_ARM), final);
  },
  columns: { ...COLUMNS, rule: { title: 'a template learns' } },
  frames: { learning: (records) => records.filter(({ rule }) => rule !== 'never') },
  tables: {
    rules: {
      caption:
        'Test part, in percent: FMR and FNMR are of single rows at the threshold from the 20 % before, the same for all; then FMR had templates learnt from users alone, the share of windows that a template learnt from, and of impostors who taught one anything',
      rows: ['dataset', 'rule'],
      cells: {
        EER: only('perSample', RATE),
        'over five': only('overFive', RATE),
        FNMR: only('fnmr', RATE),
        FMR: only('fmr', RATE),
        'FMR, users alone': only('fmrUnpoisoned', RATE),
        'users’ windows learnt': only('usersLearnt', RATE),
        'impostors’ windows learnt': only('impostorsLearnt', RATE),
        'impostors who taught': only('impostorsWhoTaught', RATE),
      },
    },
  },
  facts: ofBothSets({
    fnmrNever: frozen('fnmr'),
    fnmrLeast: { of: 'learning', figure: least('fnmr', WHOLE) },
    fnmrMost: { of: 'learning', figure: most('fnmr', WHOLE) },
    fmrNever: frozen('fmr'),
    fmrLeast: { of: 'learning', figure: least('fmr', WHOLE) },
    fmrMost: { of: 'learning', figure: most('fmr', WHOLE) },
  }),
  holds: {
    learningIsTrade: (fact) =>
      ['keys', 'walk'].every(
        (set) =>
          fact(`${set}FnmrMost`) < fact(`${set}FnmrNever`) && fact(`${set}FmrLeast`) > fact(`${set}FmrNever`),
      ),
  },
  words: new URL('learning.md', import.meta.url),
});
