/** Each game finds its largest leaks, and nothing in honest runs; a simulator that is wrong is found as well. */
import { describe, expect, it } from 'vitest';
import { bundledScene } from '../../../evaluation/scenes/bundled.ts';
import { experimentsOf } from '../../../evaluation/simulation/game.ts';
import { EXPERIMENTS, PARTIES } from '../../../evaluation/simulation/index.ts';
import { pencilDataUser } from '../../../evaluation/simulation/pencil-data-user.ts';
import { rotatedDataUser } from '../../../evaluation/simulation/rotated-data-user.ts';

type Player = (typeof PARTIES)[number];

const partyOf = ({ id }: Pick<Player, 'id'>) => PARTIES.find((it) => it.id === id)!;
/** The evaluation plays them all. */
const SOME = [partyOf(rotatedDataUser)];
const OTHERS = PARTIES.filter((it) => !SOME.includes(it));

/** Enough for what is large. */
const RUNS = 14;
const few = (game: Player): Player => ({ ...game, runs: { quick: RUNS, full: RUNS }, controlRuns: RUNS });

async function run(game: Player, place: number, again = 0) {
  const scene = await bundledScene(game.scenes[0]!, 'games');
  const seed = `games/${game.id}/${again}`;
  const setting = { scene, effort: 'quick' as const, seed, note: () => undefined };
  const outcome = await experimentsOf(game)[place]!.run(setting);
  if (outcome.kind !== 'test') throw new Error('expected a test');
  return outcome;
}

function behaves(game: Player): void {
  it('finds nothing in honest runs', async () => {
    // The seed decides all but keys and their randomisers: those can make it find something once in 1,000 times, and thrice in a row once in 10^9.
    const found: number[] = [];
    for (let again = 0; again < 3; again += 1) {
      const { p, n, detectable } = await run(game, 0, again);
      expect(n).toBe(2 * RUNS);
      expect(detectable).toBeUndefined(); // without a power curve nothing is said of what it would have found
      found.push(p);
      if (p > 0.001) break;
    }
    expect(Math.max(...found)).toBeGreaterThan(0.001);
  });

  it.each(game.leaks.map(({ id }, i) => [id, i + 1] as const))('finds the leak "%s"', async (_, place) => {
    expect((await run(game, place)).p).toBeLessThan(1e-4);
  });
}

describe.each(SOME.map((game) => [game.id, few(game)] as const))('%s', (_, game) => behaves(game));

describe.each(OTHERS.map((game) => [game.id, few(game)] as const))('%s', { tags: ['long'] }, (_, game) =>
  behaves(game),
);

describe.each(SOME.map((game) => [game.id, few(game)] as const))('%s', (_, game) => {
  it('finds a simulator that makes something else', async () => {
    const worse: Player = {
      ...game,
      async open(where) {
        const sides = await game.open(where);
        const { id: leak, sizes } = game.leaks[0]!;
        return { ...sides, simulated: (own) => sides.real(own, { leak, size: sizes.at(-1)! }) };
      },
    };
    expect((await run(worse, 0)).p).toBeLessThan(1e-4);
  });
});

it('finds the second rotation missing where there are two classes only', { tags: ['long'] }, async () => {
  const turn = 1 + pencilDataUser.leaks.findIndex(({ id }) => id === 'turn');
  expect((await run({ ...few(partyOf(pencilDataUser)), scenes: ['pima'] }, turn)).p).toBeLessThan(1e-4);
});

it('is repeated by its seed, but for keys and their randomisers', async () => {
  const game = few(partyOf(rotatedDataUser));
  expect(await run(game, 0)).toEqual(await run(game, 0));
});

it('has every game in the list of experiments, each with a name of its own', () => {
  const ids = EXPERIMENTS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, leaks } of PARTIES) {
    expect(ids).toContain(`simulated-${id}`);
    for (const leak of leaks) expect(ids).toContain(`simulated-${id}-${leak.id}`);
  }
  expect(EXPERIMENTS.filter(({ expectation }) => expectation === 'holds')).toHaveLength(PARTIES.length);
});
