import { add, type Ciphertext, decrypt, encrypt, generateKeyPair } from '@eigenveil/paillier';
import { criticalDistance, distanceFromUniform } from '@eigenveil/testbed/goodness/kolmogorov';
import { generator, predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { loadLaboratoryData } from '../../../privacy/data.ts';
import { calibrateLaplace } from '../../../privacy/mechanisms/additive.ts';
import { hpdpComponents, hpdpContributions } from '../../../privacy/methods/hpdp.ts';
import { piecewise } from '../../../privacy/methods/piecewise.ts';
import { RealDraws } from '../../../privacy/random/real.ts';
import { dealToSites } from '../../../privacy/setting.ts';
import { SETTING } from './rows.ts';

/** Whether the distance of Kolmogorov and Smirnov is one that a true distribution has but for one of a thousand tests. */
const isPlausible = (samples: readonly number[], cumulative: (x: number) => number): boolean =>
  distanceFromUniform(samples.map(cumulative)) < criticalDistance(1e-3, samples.length);

describe('the noise of HPDP', () => {
  const laplace = (scale: number) => (x: number) =>
    x < 0 ? Math.exp(x / scale) / 2 : 1 - Math.exp(-x / scale) / 2;

  const addsUp = (sites: number) => {
    const setting = { ...SETTING, epsilon: 0.5 };
    // Rows of zeros: 1,830 entries of nothing but noise.
    const rows = Array.from({ length: sites }, () => [new Array<number>(60).fill(0)]);
    const scale = calibrateLaplace({ sensitivity: 30.5, epsilon: 0.5 });
    const contributions = hpdpContributions(predictableRandomness(`hpdp ${sites}`), rows, setting);
    const samples = contributions[0]!.map(
      (_, i) => Number(contributions.reduce((sum, own) => sum + own[i]!, 0n)) / 2 ** 32,
    );
    expect(isPlausible(samples, laplace(scale))).toBe(true);
    expect(isPlausible(samples, laplace(1.4 * scale))).toBe(false);
  };

  it.each([1])('adds up to one Laplace noise over %i sites', addsUp);
  it.each([3, 10])('adds up to one Laplace noise over %i sites', { tags: ['long'] }, addsUp);
});

it('HPDP: the sum under Paillier is the sum of the integers, and so are its components', {
  tags: ['long'],
}, async () => {
  const { rows, features } = (await loadLaboratoryData('iris'))!;
  const sites = dealToSites(rows, 5, generator(5));
  const setting = { ...SETTING, epsilon: 0.5 };
  const contributions = hpdpContributions(predictableRandomness('encrypted sum'), sites, setting);
  const sum = contributions.reduce((a, b) => a.map((value, i) => value + b[i]!));
  expect(sum.some((value) => value < 0n)).toBe(true);

  const secretKey = await generateKeyPair({ bits: 1024, scheme: 'standard', allowInsecureKey: true });
  const { publicKey } = secretKey;
  const encrypted = contributions.map((own) =>
    own.map((value) => encrypt(publicKey, value < 0n ? value + publicKey.n : value, 'standard')),
  );
  const total = encrypted.reduce((a: Ciphertext[], b) => a.map((value, i) => add(publicKey, value, b[i]!)));
  const decrypted = total.map((ciphertext): bigint => {
    const value: bigint = decrypt(secretKey, ciphertext);
    return value > publicKey.n / 2n ? value - publicKey.n : value;
  });
  expect(decrypted).toEqual(sum);
  expect(hpdpComponents(decrypted, features, 2)).toEqual(hpdpComponents(sum, features, 2));
});

describe.each([0.1, 1, 4])('the piecewise mechanism with ε = %f', (epsilon) => {
  const mechanism = piecewise(epsilon);
  const { bound, width, inside } = mechanism;
  const high = inside / width;
  const low = (1 - inside) / (bound + 1);

  it('has two densities that differ by a factor of exp(ε)', () => {
    expect(high / low).toBeCloseTo(Math.exp(epsilon), 9);
  });

  it.each([-1, -0.3, 0, 0.6, 1])('for %f its interval lies within the bound and its mean is that', (t) => {
    const from = mechanism.lowOf(t);
    expect(from).toBeGreaterThanOrEqual(-bound - 1e-12);
    expect(from + width).toBeLessThanOrEqual(bound + 1e-12);
    const integral = (a: number, b: number) => (b * b - a * a) / 2;
    expect(low * integral(-bound, bound) + (high - low) * integral(from, from + width)).toBeCloseTo(t, 10);
  });

  it.each([-1, 0.25, 1])('draws what its densities say, for %f', (t) => {
    const draws = new RealDraws(predictableRandomness(`piecewise ${epsilon} ${t}`));
    const samples = Array.from({ length: 4000 }, () => mechanism.draw(draws, t));
    const from = mechanism.lowOf(t);
    const cumulative = (x: number) =>
      low * (x + bound) + (high - low) * Math.min(width, Math.max(0, x - from));
    expect(isPlausible(samples, cumulative)).toBe(true);
    expect(samples.every((x) => Math.abs(x) <= bound)).toBe(true);
  });
});
