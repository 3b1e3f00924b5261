/** Audits refuse to judge noise that servers draw but do not have in their shares. */
import { sumsOf } from '@eigenveil/methods';
import { expect, it, vi } from 'vitest';
import { ofStage, ofSums } from '../../../../evaluation/attacks/membership/audit/experiments.ts';
import type { Drawer } from '../../../../evaluation/attacks/membership/audit/stage.ts';
import { Draws } from '../../../../evaluation/draws.ts';
import { sceneOf } from '../support.ts';

const without = vi.hoisted(() => ({ noise: undefined as Drawer | undefined }));

vi.mock(import('@eigenveil/protocol/servers'), async (original) => {
  const real = await original();
  const silent = (length: number) => new Uint8Array(length);
  return {
    ...real,
    // Zeros of randomness are no noise: what a server has that draws and then forgets it.
    sharesAtCsp: (task, slots, randomness) => {
      if (without.noise !== 'csp') return real.sharesAtCsp(task, slots, randomness);
      const noise = new Array<bigint>(sumsOf(task) + 1).fill(0n);
      return task.method.kind === 'histogram'
        ? real.sharesAtDataUser(task, { blinding: slots.map((slot) => -slot), noise })
        : real.sharesAtCsp({ ...task, differentialPrivacy: null }, slots, silent);
    },
    sharesAtDataUser: (task, drawn) =>
      real.sharesAtDataUser(
        task,
        without.noise === 'dataUser' ? { ...drawn, noise: drawn.noise.map(() => 0n) } : drawn,
      ),
  };
});

const scene = await sceneOf('iris');

it.each(['csp', 'dataUser'] as const)('noise of %s that is not in its shares is no noise', (drawer) => {
  for (const open of [
    () => ofStage('servers', [drawer]).methods.pca!(scene, 'add-remove', new Draws('seed')),
    () => ofSums(drawer).methods.tree!(scene, 'replace', new Draws('seed')),
  ]) {
    without.noise = undefined;
    expect(open().apart).toBeGreaterThan(0);
    without.noise = drawer;
    expect(open).toThrow(`from ${drawer}`);
  }
});
