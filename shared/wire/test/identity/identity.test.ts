import fc from 'fast-check';
import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  createProof,
  generatePrivateJwk,
  importSigningKey,
  issueOwnerToken,
  OwnerId,
  PROOF_WINDOW_SECONDS,
  PublicJwk,
  ReplayGuard,
  thumbprintOf,
  verifyOwnerToken,
  verifyProof,
} from '../../src/index.ts';

const newKey = async () => importSigningKey(await generatePrivateJwk());
const [csp, owner, stranger] = await Promise.all([newKey(), newKey(), newKey()]);
const ownerId = OwnerId.parse('o'.repeat(22));
const request = { method: 'PUT', url: 'https://localhost:1/tasks/x', token: 'token' };

test('a key that nobody can take out of the system signs as one that was read from a file', async () => {
  const { privateKey, publicKey } = await generateKeyPair('Ed25519', { extractable: false });
  const { kty, crv, x } = await crypto.subtle.exportKey('jwk', publicKey);
  const publicJwk = PublicJwk.parse({ kty, crv, x });
  const key = { privateKey, publicJwk, thumbprint: await thumbprintOf(publicJwk) };
  const request = { method: 'GET', url: 'https://user.example.org/tasks' };
  expect(await verifyProof(await createProof(key, request), request)).toMatchObject({
    thumbprint: key.thumbprint,
  });
  await expect(crypto.subtle.exportKey('jwk', privateKey)).rejects.toThrow();
  const { privateKey: imported } = await importSigningKey(await generatePrivateJwk());
  await expect(crypto.subtle.exportKey('jwk', imported)).rejects.toThrow();
});

describe('a request proof', () => {
  test('names the key that made it', async () => {
    const proof = await createProof(owner, request);
    expect(await verifyProof(proof, request)).toMatchObject({
      thumbprint: owner.thumbprint,
      publicJwk: owner.publicJwk,
    });
  });

  test.each([
    ['another method', { ...request, method: 'GET' }],
    ['another address', { ...request, url: 'https://localhost:1/tasks/y' }],
    ['another token', { ...request, token: 'other' }],
    ['no token', { method: request.method, url: request.url }],
  ])('is refused for %s', async (_name, other) => {
    const proof = await createProof(owner, request);
    await expect(verifyProof(proof, other)).rejects.toMatchObject({ code: 'ERR_AUTH_REQUIRED' });
  });

  test.each([-1, 1])('is refused outside its window (%i)', async (direction) => {
    const proof = await createProof(owner, request);
    const at = (seconds: number) => new Date(Date.now() + direction * 1000 * seconds);
    await expect(verifyProof(proof, request, { now: at(PROOF_WINDOW_SECONDS + 2) })).rejects.toMatchObject({
      code: 'ERR_AUTH_REQUIRED',
      message: '"DPoP" of a request expected a proof of the last 60 seconds: compare the clocks of both',
    });
    await expect(verifyProof(proof, request, { now: at(PROOF_WINDOW_SECONDS - 2) })).resolves.toMatchObject({
      thumbprint: owner.thumbprint,
    });
  });

  test('for another service is refused with both addresses and who asked whom', async () => {
    const leg = 'from an owner to the data user';
    const refusal = async (url: string) => {
      const proof = await createProof(owner, { ...request, url });
      const verified = verifyProof(proof, request, { leg });
      return verified.then(
        () => 'accepted',
        ({ code, message }) => `${code} ${message}`,
      );
    };
    expect(await refusal('https://0.0.0.0:8444/tasks/x')).toBe(
      'ERR_AUTH_REQUIRED "DPoP" from an owner to the data user expected a proof for https://localhost:1, got one for ' +
        'https://0.0.0.0:8444: give the client the former address, or the service the latter as --public-url',
    );
    // Nothing of the peer's but an address is repeated, and no long one.
    const plain =
      'ERR_AUTH_REQUIRED "DPoP" from an owner to the data user expected a fresh proof for this request';
    for (const url of [
      'https://localhost:1/tasks/secret',
      'http://localhost:1/tasks/x',
      `https://${'a.'.repeat(200)}b/`,
      'javascript:alert(1)',
      'nonsense',
    ])
      expect(await refusal(url)).toBe(plain);
    expect(await refusal('https://name:word@b.example/tasks/x?secret#secret')).not.toMatch(
      /word|secret|name/,
    );
  });

  test('cannot be made for a key that one does not have', async () => {
    const claims = { htm: request.method, htu: request.url };
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'Ed25519', typ: 'dpop+jwt', jwk: owner.publicJwk })
      .setJti('a'.repeat(22))
      .setIssuedAt()
      .sign(stranger.privateKey);
    await expect(verifyProof(forged, { method: request.method, url: request.url })).rejects.toMatchObject({
      code: 'ERR_AUTH_REQUIRED',
    });
  });

  test('is refused when it is signed with a shared secret or not at all', async () => {
    const header = (alg: string) =>
      Buffer.from(JSON.stringify({ alg, typ: 'dpop+jwt', jwk: owner.publicJwk })).toString('base64url');
    const claims = { htm: 'GET', htu: request.url, jti: 'a'.repeat(22), iat: Math.floor(Date.now() / 1000) };
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: owner.publicJwk })
      .sign(Buffer.from(owner.publicJwk.x, 'base64url'));
    for (const proof of [`${header('none')}.${body}.`, hmac, '', 'a.b.c']) {
      await expect(verifyProof(proof, { method: 'GET', url: request.url })).rejects.toMatchObject({
        code: 'ERR_AUTH_REQUIRED',
      });
    }
  });
});

describe('the replay guard', () => {
  test('admits an id once within the window, and forgets it afterwards', () => {
    const guard = new ReplayGuard();
    guard.admit('a', 0);
    expect(() => guard.admit('a', 2000 * PROOF_WINDOW_SECONDS - 1)).toThrow(
      expect.objectContaining({ code: 'ERR_PROOF_REPLAYED' }),
    );
    guard.admit('a', 2000 * PROOF_WINDOW_SECONDS);
  });

  test('admits exactly what it has not seen within the window, whatever the times', () => {
    const request = fc.record({ id: fc.integer({ min: 0, max: 5 }), after: fc.integer({ min: 0, max: 50 }) });
    const lifetime = 2000 * PROOF_WINDOW_SECONDS;
    fc.assert(
      fc.property(fc.array(request, { maxLength: 100 }), (requests) => {
        const guard = new ReplayGuard();
        const admitted = new Map<number, number>();
        let now = 0;
        for (const { id, after } of requests) {
          now += after * 1000;
          const isNew = now - (admitted.get(id) ?? Number.NEGATIVE_INFINITY) >= lifetime;
          const attempt = () => guard.admit(`${id}`, now);
          if (isNew) attempt();
          else expect(attempt).toThrow(expect.objectContaining({ code: 'ERR_PROOF_REPLAYED' }));
          if (isNew) admitted.set(id, now);
        }
      }),
    );
  });

  test('refuses everybody rather than forgetting when it is full', () => {
    const guard = new ReplayGuard(2);
    guard.admit('a', 0);
    guard.admit('b', 0);
    expect(() => guard.admit('c', 0)).toThrow(expect.objectContaining({ code: 'ERR_BUSY' }));
    guard.admit('c', 2000 * PROOF_WINDOW_SECONDS);
  });
});

describe('an owner token', () => {
  const issue = (lifetimeSeconds = 60) =>
    issueOwnerToken(csp, { ownerId, thumbprint: owner.thumbprint, lifetimeSeconds });

  test('binds the owner id to the owner key', async () => {
    expect(await verifyOwnerToken(await issue(), csp.publicJwk)).toEqual({
      ownerId,
      thumbprint: owner.thumbprint,
    });
  });

  test('is refused when another CSP issued it', async () => {
    await expect(verifyOwnerToken(await issue(), stranger.publicJwk)).rejects.toMatchObject({
      code: 'ERR_AUTH_REQUIRED',
    });
  });

  test('expires', async () => {
    const later = new Date(Date.now() + 61_000);
    await expect(verifyOwnerToken(await issue(), csp.publicJwk, later)).rejects.toMatchObject({
      code: 'ERR_TOKEN_EXPIRED',
    });
  });

  test('is not any token of the CSP: type and audience count', async () => {
    const token = (typ: string, audience: string) =>
      new SignJWT({ cnf: { jkt: owner.thumbprint } })
        .setProtectedHeader({ alg: 'Ed25519', typ })
        .setIssuer(csp.thumbprint)
        .setSubject(ownerId)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(csp.privateKey);
    const right = await token('eigenveil-owner+jwt', 'eigenveil/1 data-user');
    await expect(verifyOwnerToken(right, csp.publicJwk)).resolves.toMatchObject({ ownerId });
    for (const wrong of [
      await token('jwt', 'eigenveil/1 data-user'),
      await token('eigenveil-owner+jwt', 'elsewhere'),
    ]) {
      await expect(verifyOwnerToken(wrong, csp.publicJwk)).rejects.toMatchObject({
        code: 'ERR_AUTH_REQUIRED',
      });
    }
  });
});
