/** People who change with time: a control that destroys its order, and templates that follow them. */
import { makeTemplate, momentsOf, updated } from '@eigenveil/authentication';
import { describe, expect, it } from 'vitest';
import { LearningSession, learningFigures } from '../../../recognition/error-rates/learning.ts';
import { withoutTime } from '../../../recognition/error-rates/time.ts';
import type { People } from '../../../recognition/people.ts';
import { runsOf } from '../../../recognition/scoring/arms.ts';
import { finalOf } from '../../../recognition/scoring/protocol.ts';
import { ratesOf } from '../../../recognition/scoring/rates.ts';
import { BARE } from '../../../recognition/scoring/settings.ts';
import { madeUpPeople, SETTING } from '../made-up.ts';

/** All of them move away from where they began, each to a place of their own. */
function moving(): People {
  const still = madeUpPeople({ people: 8, rows: 100, apart: 3 });
  const { people: ends } = madeUpPeople({ people: 9, rows: 1, apart: 3 });
  return {
    ...still,
    people: still.people.map(({ name, rows }, person) => ({
      name,
      rows: rows.map((row, i) =>
        row.map((x, j) => x + 0.8 * (i / rows.length) * ends[person + 1]!.rows[0]![j]!),
      ),
    })),
  };
}

const people = moving();
const final = finalOf(people);
const setting = { ...SETTING, score: 'mahalanobis' as const, ...BARE, service: true as const };

describe('without time', () => {
  it('everybody keeps their own rows, in an order that is the same for a number', () => {
    const other = withoutTime(people, 1);
    expect(other).toEqual(withoutTime(people, 1));
    expect(other).not.toEqual(withoutTime(people, 2));
    other.people.forEach(({ name, rows }, i) => {
      const own = people.people[i]!;
      expect(name).toBe(own.name);
      expect(rows).not.toEqual(own.rows);
      expect(new Set(rows)).toEqual(new Set(own.rows));
    });
  });

  it('people who move are known better', () => {
    const rateOf = (of: People) => ratesOf(runsOf(SETTING, finalOf(of))).perSample;
    expect(rateOf(withoutTime(people, 1))).toBeLessThan(0.7 * rateOf(people));
  });
});

describe('templates that learn', () => {
  const rule = { afterStepUp: 5, afterRun: 5, share: 0.3 };

  it('without a rule are those of enrolment', () => {
    const { thresholds, test, unpoisoned, users, impostors } = learningFigures(setting, final, undefined);
    const runs = runsOf(setting, final);
    expect(thresholds).toEqual(runs.thresholds[0]);
    expect(test).toEqual(runs.test[0]);
    expect(unpoisoned).toEqual(test);
    expect([users.learnt, impostors.learnt]).toEqual([0, 0]);
  });

  it('follow users who move, and keep thresholds', () => {
    const [still, learning] = [undefined, rule].map((it) => learningFigures(setting, final, it));
    expect(learning!.thresholds).toEqual(still!.thresholds);
    const fnmr = ({ thresholds, test }: typeof still & object) =>
      ratesOf({ thresholds: [thresholds], test: [test] }).atThreshold.fnmr;
    expect(fnmr(still!)).toBeGreaterThan(0.1);
    expect(fnmr(learning!)).toBeLessThan(fnmr(still!) / 2);
    expect(learning!.users.learnt).toBeGreaterThan(0.5 * learning!.users.windows);
    expect(learning!.users.windows).toBe(8 * 60);
    expect(learning!.impostors.windows).toBe(8 * 7 * 40);
  });

  it('follow an impostor whom the engine lets in, and users alone in the twin', () => {
    // People who are nearly the same, so that impostors are let in.
    const alike = finalOf(madeUpPeople({ people: 6, rows: 60, apart: 0.3 }));
    const { test, unpoisoned, impostors, impostorsWhoTaught } = learningFigures(setting, alike, rule);
    expect(impostors.learnt).toBeGreaterThan(0);
    expect(impostorsWhoTaught).toBeGreaterThan(0);
    const genuine = (of: typeof test) => of.filter(({ target, source }) => target === source);
    expect(genuine(unpoisoned)).toEqual(genuine(test));
    expect(unpoisoned).not.toEqual(test);
    // Each impostor's first window meets what users have taught until then, and not what other impostors have.
    const first = (of: typeof test) => of.map(({ scores: [score] }) => score);
    expect(first(test)).toEqual(first(unpoisoned));
    expect(first(test)).not.toEqual(first(learningFigures(setting, alike, undefined).test));
  });

  it('learn from windows at allow alone, as many as the rule says, and anew after a step-up', () => {
    // Strange scores lead to a step-up, those in between are not confident.
    const engine = {
      start: () => ({ decision: 'step-up', evidence: 0, confident: 0 }) as const,
      confirmed: () => ({ decision: 'allow', evidence: 0, confident: 0 }) as const,
      observe: (
        { decision, confident }: { decision: 'allow' | 'step-up' | 'lock'; confident: number },
        score: number,
      ) => ({
        decision: score > 100 ? ('step-up' as const) : decision,
        evidence: 0,
        confident: score > 50 ? 0 : confident + 1,
      }),
    };
    const near = [0, 1, -1, 1, 0, -1].map((x) => Float64Array.of(10 + x, 10 - x / 2));
    const far = Float64Array.of(1000, 1000);
    const template = makeTemplate(
      [
        [11, 10],
        [9, 10],
        [10, 11],
        [10, 9],
      ].map((x) => Float64Array.from(x)),
    );
    const session = new LearningSession(template, 'euclidean', engine, {
      afterStepUp: 3,
      afterRun: 2,
      share: 0.1,
    });
    const see = (...windows: readonly Float64Array[]): void => {
      for (const window of windows) session.observe(window);
    };
    see(near[0]!, near[1]!);
    expect(session.template).toBe(template);
    see(near[2]!);
    const learnt = updated(template, momentsOf(near.slice(0, 3)), 0.1);
    expect(session.template.mean).toEqual(learnt.mean);
    expect(session.learnt).toBe(3);
    // Of a run that is confident, two are enough.
    see(near[3]!, near[4]!);
    expect(session.learnt).toBe(5);
    // From here on nothing, until the person has passed a step-up.
    see(near[5]!, far, ...near);
    expect(session.decision).toBe('step-up');
    expect(session.learnt).toBe(5);
    session.confirm();
    see(near[0]!, near[1]!);
    expect(session.learnt).toBe(5);
    see(near[2]!);
    expect(session.learnt).toBe(8);
    // Not confident.
    see(Float64Array.of(19, 10), near[0]!);
    expect(session.decision).toBe('allow');
    expect(session.learnt).toBe(8);
  });
});
