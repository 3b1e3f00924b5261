/** A delay that is planted among times of any noise: found, or said to be hidden by that noise; a blind instrument is never excused. */
import { describe, expect, test } from 'vitest';
import {
  DELAYS_MILLISECONDS,
  pairedDelays,
  type Timed,
} from '../../evaluation/attacks/network/paired-delays.ts';
import { Draws } from '../../evaluation/draws.ts';
import { judgedCases, LEVELS } from '../../evaluation/judging/verdicts.ts';

const PAIRS = 24;
/** As many cases as a quick run has, by which its level is divided at worst. */
const FAMILY = 60;

/** What comes of it when a time is `base` milliseconds, what `noise` adds, and the delay as far as the instrument sees it. */
async function outcomeOf(
  noise: (draws: Draws) => number,
  seen: (delay: number) => number = (delay) => delay,
) {
  const draws = new Draws('noise');
  const begun: number[] = [];
  const timed: Timed = async (_pair, _turn, delay) => {
    if (delay > 0) begun[begun.length - 1] = delay;
    return 20 + noise(draws) + seen(delay);
  };
  const outcome = await pairedDelays(PAIRS, new Draws('test'), async () => {
    begun.push(0);
    return timed;
  });
  const control = {
    experiment: { id: 'planted', expectation: 'control' as const },
    scene: 'iris',
    outcome,
    seconds: 1,
  };
  const verdict = judgedCases([control], LEVELS.quick / FAMILY)[0]!.verdict;
  return { verdict, tooNoisy: outcome.tooNoisy, begun };
}

/** Waits for a processor that others have: mostly short, now and then long. */
const waits = (mean: number) => (draws: Draws) => -mean * Math.log(draws.uniform());

describe('a planted delay', () => {
  test.each([
    ['a quiet machine', waits(5), [100]],
    ['a machine at load', waits(150), [100, 400, 1600]],
    [
      'a machine that stops for a second now and then',
      (draws: Draws) => (draws.uniform() < 0.1 ? 1000 : 5),
      [100, 400, 1600],
    ],
  ])('is found on %s', async (_, noise, begun) => {
    const found = await outcomeOf(noise);
    expect(found).toMatchObject({ verdict: 'broken', tooNoisy: undefined });
    expect(begun.slice(0, found.begun.length)).toEqual(found.begun);
  });

  test('is said to be hidden where times differ by more than any delay by themselves', async () => {
    const { verdict, tooNoisy, begun } = await outcomeOf(waits(20_000));
    expect({ verdict, begun }).toEqual({ verdict: 'undecided', begun: [...DELAYS_MILLISECONDS] });
    expect(tooNoisy).toMatch(/^in \d+ of 24 pairs two times without a delay differ by the 1600 ms/);
  });

  test.each([
    ['a quiet machine', waits(5)],
    ['a machine at load', waits(150)],
  ])(
    'is not found, and nothing excuses it, by an instrument that does not see it on %s',
    async (_, noise) => {
      expect(await outcomeOf(noise, () => 0)).toMatchObject({ verdict: 'undecided', tooNoisy: undefined });
    },
  );
});
