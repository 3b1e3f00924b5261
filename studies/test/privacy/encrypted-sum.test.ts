import { add, type Ciphertext, decrypt, encrypt, generateKeyPair } from '@eigenveil/paillier';
import { generator, predictableRandomness } from '@eigenveil/testbed/random';
import { expect, it } from 'vitest';
import { loadLaboratoryData } from '../../privacy/data.ts';
import { hpdpComponents, hpdpContributions } from '../../privacy/methods/index.ts';
import { dealToSites } from '../../privacy/sites.ts';

it('HPDP: the sum under Paillier is the sum of the integers, and so are its components', {
  tags: ['long'],
}, async () => {
  const { rows, features } = (await loadLaboratoryData('iris'))!;
  const sites = dealToSites(rows, 5, generator(5));
  const setting = { components: 2, epsilon: 0.5, dpDelta: 1e-5, clippingNorm: 1 };
  const contributions = hpdpContributions(predictableRandomness('encrypted sum'), sites, setting);
  const sum = contributions.reduce((a, b) => a.map((value, i) => value + b[i]!));
  expect(sum.some((value) => value < 0n)).toBe(true);

  const secretKey = await generateKeyPair({
    bits: 1024,
    scheme: 'standard',
    allowInsecureKey: true,
  });
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
