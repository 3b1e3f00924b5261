/** Servers that deviate gain what the documents say: the cheap ones of these experiments, by the real code. */
import { CodedError } from '@eigenveil/platform';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { CODES } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { EXPERIMENTS } from '../../evaluation/attacks/deviation/index.ts';
import { Round } from '../../evaluation/attacks/deviation/refusals.ts';
import { bundledScene } from '../../evaluation/scenes/bundled.ts';

async function outcomeOf(id: string) {
  const experiment = EXPERIMENTS.find((it) => it.id === id)!;
  const scene = await bundledScene(experiment.scenes[0]!, 'test');
  return experiment.run({ scene, effort: 'quick', seed: `test/${id}`, note: () => undefined });
}

async function trialsOf(id: string) {
  const outcome = await outcomeOf(id);
  if (outcome.kind !== 'trials') throw new TypeError('expected trials');
  return { attack: mean(outcome.attack), control: mean(outcome.control), facts: outcome.facts! };
}

describe('what is admitted', () => {
  test('scaled sums leave as much of epsilon as docs/privacy.md says', { tags: ['long'] }, async () => {
    const { attack, facts } = await trialsOf('deviation-scaled-privacy');
    // 0.97 in the mean; noise is drawn by the system, not by the seed.
    expect(attack).toBeGreaterThan(0.6);
    const measured = Object.entries(facts).filter(([name]) => name.startsWith('epsilon at'));
    expect(measured).toHaveLength(5);
    for (const [name, value] of measured) {
      const [, text] = /text: ([\d.]+)/.exec(name)!;
      // To be farther off by chance, the noise as 40 runs measure it, by 240 values, would have to be off by 0.3: once in 10^11 cases.
      expect(Math.abs(Number(value) / Number(text) - 1)).toBeLessThan(0.7);
    }
  });

  test('scaled counts of a histogram show a row that is not seen otherwise', { tags: ['long'] }, async () => {
    const { attack, control } = await trialsOf('deviation-scaled-histogram');
    // 16 times 0.24 deviations of the noise: 0.97 in the mean, 0.55 without; noise is drawn by the system.
    // Of 60 runs each, 57 are right without scaling in one of 10^11 cases.
    expect(attack).toBeGreaterThan(0.6);
    expect(control).toBeLessThan(0.95);
  });

  test.each(['deviation-rows-slot'])('%s succeeds always', async (id) => {
    expect((await trialsOf(id)).attack).toBe(1);
  });

  test.each(['deviation-noise-scale', 'deviation-own-groups'])(
    '%s succeeds always',
    { tags: ['long'] },
    async (id) => {
      expect((await trialsOf(id)).attack).toBe(1);
    },
  );

  test.each([
    'deviation-one-owner',
    'deviation-count-slot',
    'deviation-three-answers',
    'deviation-wrong-result',
  ])('%s succeeds always', { tags: ['long'] }, async (id) => {
    const { attack, control } = await trialsOf(id);
    expect(attack).toBe(1);
    expect(control).toBeLessThanOrEqual(0.5);
  });
});

describe('what is promised', () => {
  test.each(['deviation-histogram-owners'])('%s finds no exception', async (id) => {
    expect(await outcomeOf(id)).toMatchObject({ p: 1, distance: { value: 0 } });
  });

  test('a failure is among the runs in which none shows', { tags: ['long'] }, async () => {
    const { facts, ...outcome } = await outcomeOf('deviation-selective-failure');
    expect(outcome).toMatchObject({ p: 1, distance: { value: 0 } });
    expect(Object.keys(facts!)).toContain('ERR_GARBLING_CHECK');
  });

  test.each([
    'deviation-form',
    'deviation-transfer-guess',
    'deviation-garbled-tampering',
    'deviation-refused-requests',
  ])('%s finds no exception', { tags: ['long'] }, async (id) => {
    expect(await outcomeOf(id)).toMatchObject({ p: 1, distance: { value: 0 } });
  });

  test.each(['ERR_RATE_LIMITED', 'ERR_PEER_UNREACHABLE'] as const)('%s is no refusal', async (code) => {
    const round = new Round();
    const failing = (thrown: keyof typeof CODES) => () =>
      Promise.reject(new CodedError(CODES[thrown], 'refused'));
    await round.refused(['a record', ['ERR_RECORD_INVALID'], failing('ERR_RECORD_INVALID')]);
    await expect(round.refused(['a record', ['ERR_RECORD_INVALID'], failing(code)])).rejects.toThrow(
      'refused',
    );
    expect(round.exceptions).toEqual([false]);
  });

  test('without the rule of one answer the scatter matrix comes out', { tags: ['long'] }, async () => {
    expect(await outcomeOf('deviation-rotated-again')).toMatchObject({ p: 0, distance: { value: 1 } });
  });
});
