/** Audits refuse to judge noise that servers draw but do not have in their shares. */
import { expect, it, vi } from 'vitest';
import { auditedProposal, worstNeighbours } from '../../../src/attacks/membership/audit/canary.ts';
import { auditedStage, type Drawer } from '../../../src/attacks/membership/audit/stage.ts';
import { Draws } from '../../../src/draws.ts';
import { bundledScene } from '../../../src/scenes/bundled.ts';

const without = vi.hoisted(() => ({ noise: undefined as Drawer | undefined }));

vi.mock(import('@eigenveil/protocol/servers'), async (original) => {
  const real = await original();
  const silent = (length: number) => new Uint8Array(length);
  return {
    ...real,
    // Zeros of randomness are no noise: what a server has that draws and then forgets it.
    sharesAtCsp: (task, slots, randomness) =>
      without.noise === 'csp'
        ? real.sharesAtCsp({ ...task, differentialPrivacy: null }, slots, silent)
        : real.sharesAtCsp(task, slots, randomness),
    sharesAtDataUser: (task, drawn) =>
      real.sharesAtDataUser(
        task,
        without.noise === 'dataUser' ? { ...drawn, noise: drawn.noise.map(() => 0n) } : drawn,
      ),
  };
});

const scene = await bundledScene('iris', 'seed');

it.each(['csp', 'dataUser'] as const)('noise of %s that is not in its shares is no noise', (drawer) => {
  const proposal = auditedProposal(scene, 'pca', {
    ...{ epsilon: 1, delta: 0.01, neighbours: 'add-remove', noise: 'servers', honestOwners: null },
  });
  const open = () => auditedStage(proposal, worstNeighbours(proposal, 'pca'), [drawer], new Draws('seed'));
  without.noise = undefined;
  expect(open().apart).toBeGreaterThan(0);
  without.noise = drawer;
  expect(open).toThrow(`from ${drawer}`);
});
