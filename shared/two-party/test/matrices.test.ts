import { createHash } from 'node:crypto';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../src/channel/message-stream.ts';
import { LatticeCsp } from '../src/lattice/csp.ts';
import { LatticeDataUser } from '../src/lattice/data-user.ts';
import type { MatrixSession, Piece } from '../src/matrices/session.ts';
import { clearSession, cspSession, dataUserSession, planOf } from '../src/matrices/sessions.ts';
import { streamsFrom } from '../src/oblivious-transfer/randomness.ts';
import { columnOf } from '../src/rotated/matrices.ts';
import { rotatedParameters } from '../src/rotated/parameters.ts';
import { RandomBits } from '../src/rotated/random.ts';
import { drawSecrets } from '../src/rotated/secrets.ts';
import { statisticsShares } from '../src/rotated/shares.ts';
import { scatter, turnedVectors } from '../src/rotated/turning.ts';
import { settingOf } from './rotated/settings.ts';
import { memoryChannelPair } from './support/memory-channel.ts';

const d = 6;
const k = 4;
const random = predictableRandomness('rows');
const rows = Array.from({ length: 60 }, () =>
  Array.from({ length: d }, () => ([...random(1)][0]! - 128) / 128),
);
const { task, garbler, evaluator } = settingOf({ rows, components: k });
const parameters = rotatedParameters(task);
const { ringBits, hiddenBits } = parameters;
const csp = statisticsShares(task, garbler.shares, ringBits);
const user = statisticsShares(task, evaluator.shares, ringBits);
const Q = BigInt.asUintN(ringBits, csp.Q + user.Q);
const secrets = drawSecrets(parameters, k, new RandomBits(predictableRandomness('secrets')));
const directions = Array.from({ length: d }, (_, i) =>
  Array.from({ length: k }, (__, j) => (i === j ? 1n << BigInt(parameters.directionBits) : 0n)),
);

async function program(session: MatrixSession) {
  const shares = {
    R: { ...session.at('csp', () => columnOf(csp.R)), ...session.at('user', () => columnOf(user.R)) },
    V: { ...session.at('csp', () => columnOf(csp.V)), ...session.at('user', () => columnOf(user.V)) },
  };
  const T = await scatter(session, shares, () => Q, parameters);
  let opened: Piece = {};
  const decompose = async (M: Piece) => {
    opened = M;
    return session.at('user', () => directions);
  };
  const back = await turnedVectors(session, { T, secrets: () => secrets, decompose }, k, parameters);
  return { M: opened.user?.[0], back: back.user };
}

describe('PCA over shared matrices', () => {
  it('is in the clear what it is between the two servers', async () => {
    const clear = await program(clearSession(new RandomBits(predictableRandomness('shares'))));
    const plan = await planOf(program);
    const [left, right] = memoryChannelPair();
    const [ofUser, ofCsp] = [new MessageStream(left), new MessageStream(right)];
    const seed = createHash('sha256').update('both nonces').digest();
    const draws = (name: string) => streamsFrom(createHash('sha256').update(name).digest());
    const [{ M, back }] = await Promise.all([
      (async () => {
        const products = await LatticeDataUser.open(ofUser, plan, seed, draws('user'));
        return await program(dataUserSession(products));
      })(),
      (async () => {
        const products = await LatticeCsp.receive(ofCsp, plan, seed, draws('csp'));
        return await program(cspSession(products, async () => {}));
      })(),
    ]);
    const off = (a: readonly bigint[], b: readonly bigint[], ring: number) =>
      Math.max(...a.map((entry, i) => Math.abs(Number(BigInt.asIntN(ring, entry - b[i]!)))));
    expect(off(M!, clear.M!, ringBits)).toBeLessThan(2 ** hiddenBits);
    const most = 2 ** (parameters.floodBits - 47);
    expect(off(back!.flat(), clear.back!.flat(), parameters.vectorRingBits)).toBeLessThan(most);
  });
});
