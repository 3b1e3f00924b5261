/** Each game finds its largest leaks, and nothing in honest runs; a simulator that is wrong is found as well. */
import { describe, expect, it } from 'vitest';
import type { Draws } from '../../src/draws.ts';
import { bundledScene } from '../../src/scenes/bundled.ts';
import { blindedSlots } from '../../src/simulation/blinded-slots.ts';
import { experimentsOf, type Game } from '../../src/simulation/game.ts';
import { rotatedDataUser } from '../../src/simulation/rotated-data-user.ts';

const scene = await bundledScene('pima', 'games');
const GAMES = [rotatedDataUser, blindedSlots];

/** Few runs: enough for what is large. */
const small = (game: Game): Game => ({ ...game, runs: { quick: 16, full: 16 }, controlRuns: 16 });

async function run(game: Game, place: number) {
  const setting = { scene, effort: 'quick' as const, seed: `games/${game.id}`, note: () => undefined };
  const outcome = await experimentsOf(game)[place]!.run(setting);
  if (outcome.kind !== 'test') throw new Error('expected a test');
  return outcome;
}

describe.each(GAMES.map((game) => [game.id, small(game)] as const))('%s', (_, game) => {
  it('finds nothing in honest runs', async () => {
    const { p, n, detectable } = await run(game, 0);
    expect(p).toBeGreaterThan(0.001);
    expect(n).toBe(32);
    expect(detectable).toBeUndefined();
  });

  it.each(game.leaks.map(({ id }, i) => [id, i + 1] as const))('finds the leak "%s"', async (__, place) => {
    expect((await run(game, place)).p).toBeLessThan(1e-4);
  });

  it('finds a simulator that makes something else', async () => {
    const worse: Game = {
      ...game,
      async open(where, draws) {
        const sides = await game.open(where, draws);
        const { id: leak, sizes } = game.leaks[0]!;
        const simulated = (own: Draws) => sides.real(own, { leak, size: sizes.at(-1)! });
        return { real: (own) => sides.real(own), simulated };
      },
    };
    expect((await run(worse, 0)).p).toBeLessThan(1e-4);
  });
});
