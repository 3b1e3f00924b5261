/**
 * The attack with an old template after its frame was renewed. Templates are of the first 40 % of a person's rows, windows are of the last 40 %.
 * The headline of recognition gives impostors the victim's frame; here they are strangers who have it, and users stand in their old
 * and in their new frame.
 */
import { type Frame, type ScoreKind, Scorer, type Template } from '@eigenveil/authentication';
import { equalErrorRate } from '@eigenveil/testbed/recognition/error-rates';
import { eigenpairs, fromUpperTriangle, squareOf, times } from '../../privacy/methods/matrix.ts';
import { dot, minus } from '../alignment.ts';
import { estimator } from '../estimator.ts';
import { bootstrapped, type Interval, type Verdict, verdictOf } from '../intervals.ts';
import type { Row } from '../people.ts';
import { type Kind, projectionOf, reduced } from './projections.ts';
import { TRANSLATION } from './reconstructing.ts';
import { folds, framed, frameOf, type Scene, templateOf } from './scene.ts';

interface RenewalSetting {
  readonly kind: Kind;
  readonly score: ScoreKind;
  readonly translated: boolean;
}

interface Renewal extends RenewalSetting {
  readonly dataset: string;
  /** Equal error rate of users' windows in the frame of the template, and after it was renewed: strangers have the same frame as users. */
  readonly before: Interval;
  readonly after: Interval;
  /** True if after renewal the old template knows its user better than chance does. */
  readonly verdict: Verdict;
}

interface Enrolled {
  readonly person: string;
  /** Windows in the projection's coordinates. */
  readonly early: readonly Row[];
  readonly late: readonly Row[];
  readonly old: Frame;
  readonly renewed: Frame;
}

function enrolled({ dataset, subjects }: Scene, kind: Kind, translated: boolean): Enrolled[] {
  const projection = projectionOf(
    kind,
    subjects.map(({ early }) => early),
  );
  return subjects.map(({ name, early, late }) => {
    const frame = (turn: string) =>
      frameOf(`${dataset} ${name} ${turn}`, projection.vectors.length, translated ? TRANSLATION : 0);
    return {
      person: name,
      early: reduced(projection, early),
      late: reduced(projection, late),
      old: frame('old'),
      renewed: frame('renewed'),
    };
  });
}

export function renew(scene: Scene, setting: RenewalSetting): Renewal {
  const people = enrolled(scene, setting.kind, setting.translated);
  const scores = (frame: 'old' | 'renewed') =>
    people.map((user) => {
      const scorer = new Scorer(templateOf(framed(user.old, user.early)), setting.score);
      return people.map(({ late }) =>
        late.map((row) => scorer.distance(user[frame].apply(Float64Array.from(row)))),
      );
    });
  const seed = `${scene.dataset} ${setting.score} renewal`;
  const rate = (table: readonly (readonly (readonly number[])[])[]) =>
    // People are drawn as users and as strangers alike.
    bootstrapped(
      people.length,
      seed,
      (drawn) => {
        const genuine = drawn.flatMap((p) => table[p]![p]!);
        const impostor = drawn.flatMap((p) => drawn.flatMap((q) => (p === q ? [] : table[p]![q]!)));
        return equalErrorRate(genuine, impostor);
      },
      EER_RESAMPLES,
    );
  const after = rate(scores('renewed'));
  return {
    dataset: scene.dataset,
    ...setting,
    before: rate(scores('old')),
    after,
    verdict: betterThanChance(after),
  };
}

/** Each takes all pairs of people. */
const EER_RESAMPLES = 200;

/** An equal error rate below one half is what gives away. */
const betterThanChance = ({ low, high }: Interval): Verdict =>
  verdictOf({ low: 1 - high, high: 1 - low }, 0.5);

interface BothTemplates {
  readonly dataset: string;
  readonly kind: Kind;
  readonly translated: boolean;
  /** Share of what windows differ from the old template's mean by that comes back from windows in the new frame. */
  readonly windows: Interval;
  readonly verdict: Verdict;
}

/**
 * An attacker with the old frame (as of a stolen device), the old template and a new one of later rows, who sees windows in the new frame: axes of both
 * spreads in order, signs by both means. What that finds goes through a linear estimator, learnt from other people.
 */
export function alignBoth(scene: Scene, kind: Kind, translated: boolean): BothTemplates {
  const people = enrolled(scene, kind, translated).map(({ early, late, renewed }) => {
    const windows = framed(renewed, late);
    const [known, seen] = [templateOf(early), templateOf(windows)];
    const rotation = between(seen, known, translated);
    return windows.map((row, i) => ({
      input: times(rotation, minus(row, [...seen.mean])),
      output: minus(late[i]!, [...known.mean]),
    }));
  });
  const errors = folds(people).flatMap(({ victims, others }) => {
    const estimate = estimator(others);
    return victims.map((examples) =>
      examples.reduce(
        ([error, guess], { input, output }) => {
          const difference = minus(estimate(input), output);
          return [error + dot(difference, difference), guess + dot(output, output)] as const;
        },
        [0, 0] as readonly [number, number],
      ),
    );
  });
  const total = (drawn: readonly number[], part: 0 | 1) =>
    drawn.reduce((sum, p) => sum + errors[p]![part], 0);
  const windows = bootstrapped(
    errors.length,
    `${scene.dataset} both templates`,
    (drawn) => 1 - total(drawn, 0) / total(drawn, 1),
  );
  return { dataset: scene.dataset, kind, translated, windows, verdict: verdictOf(windows, 0) };
}

/** Returns the map from the frame of `seen` to that of `known`. */
function between(seen: Template, known: Template, translated: boolean): number[][] {
  const axes = (template: Template) =>
    eigenpairs(fromUpperTriangle([...template.spread], template.mean.length)).map(({ vector }) => vector);
  const [from, to] = [axes(seen), axes(known)];
  return squareOf(from.length, (i, j) =>
    from.reduce((sum, axis, a) => {
      const agree = translated || dot(axis, [...seen.mean]) * dot(to[a]!, [...known.mean]) >= 0;
      return sum + (agree ? 1 : -1) * to[a]![i]! * axis[j]!;
    }, 0),
  );
}
