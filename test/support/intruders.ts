/** Credentials that must open nothing: each is right in all but one way, for whatever request it is asked for. */
import { createHmac, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { createProof, issueOwnerToken, OwnerId, type SigningKey } from '@eigenveil/wire';
import { type Sender, signJws } from './requests.ts';

/** The request that the credentials are for. */
export interface Target {
  readonly url: string;
  readonly method: string;
  readonly path: string;
}

export interface Attempt {
  readonly name: string;
  readonly headers: (target: Target) => Promise<Record<string, string>> | Record<string, string>;
  readonly code: string;
}

type Sign = (header: object, claims: object) => Promise<string> | string;

const REFUSED = 'ERR_AUTH_REQUIRED';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaJwk = rsa.publicKey.export({ format: 'jwk' });
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Ways to sign a JWS that its holder could mistake for one under `key`, by somebody who has `own` and not `key`. */
function confusions(key: SigningKey, own: SigningKey): [string, Sign][] {
  const asKey = createPublicKey({ key: { ...key.publicJwk }, format: 'jwk' });
  const secrets: [string, string | Buffer][] = [
    ['its bytes', Buffer.from(key.publicJwk.x, 'base64url')],
    ['its text', key.publicJwk.x],
    ['its PEM', asKey.export({ type: 'spki', format: 'pem' })],
    ['nothing', ''],
  ];
  return [
    ['alg none', (header, claims) => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`],
    ['alg NONE', (header, claims) => `${encode({ ...header, alg: 'NONE' })}.${encode(claims)}.`],
    ['no alg', (header, claims) => `${encode({ ...header, alg: undefined })}.${encode(claims)}.`],
    ['no signature', (header, claims) => `${encode(header)}.${encode(claims)}.`],
    ...secrets.map(([name, secret]): [string, Sign] => [
      `HS256 with the public key as its secret, ${name}`,
      (header, claims) => {
        const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      },
    ]),
    ['RS256 under a key of its own', (header, claims) => signRs256({ ...header, jwk: rsaJwk }, claims)],
    ['RS256, naming the right key', (header, claims) => signRs256(header, claims)],
    ['another key', (header, claims) => signJws(header, claims, own)],
    [
      'another key, whose id is that of the right one',
      (header, claims) => signJws({ ...header, kid: key.thumbprint }, claims, own),
    ],
    [
      'another key, and the address of a set of keys',
      (header, claims) => signJws({ ...header, jku: 'https://127.0.0.1:1/keys' }, claims, own),
    ],
  ];
}

function signRs256(header: object, claims: object): string {
  const signed = `${encode({ ...header, alg: 'RS256' })}.${encode(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(rsa.privateKey, 'base64url')}`;
}

/** For routes of the operator. */
export function bearerAttempts(adminToken: string, others: Readonly<Record<string, string>>): Attempt[] {
  const bearer = (name: string, authorization: string): Attempt => ({
    name,
    headers: () => ({ authorization }),
    code: REFUSED,
  });
  return [
    { name: 'nothing', headers: () => ({}), code: REFUSED },
    bearer('an empty token', 'Bearer '),
    bearer('a wrong token', `Bearer ${'A'.repeat(adminToken.length)}`),
    bearer('all but the last character', `Bearer ${adminToken.slice(0, -1)}`),
    bearer('one character more', `Bearer ${adminToken}A`),
    bearer('other capitals', `Bearer ${swapCase(adminToken)}`),
    bearer('the token twice', `Bearer ${adminToken} ${adminToken}`),
    bearer('the token behind a wrong one', `Bearer wrong, Bearer ${adminToken}`),
    bearer('the token by the scheme Basic', `Basic ${adminToken}`),
    bearer('the token by the scheme DPoP', `DPoP ${adminToken}`),
    bearer(
      'the token as user and password',
      `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}`,
    ),
    bearer('the token without a scheme', adminToken),
    bearer('an unsigned token', `Bearer ${encode({ alg: 'none' })}.${encode({ sub: 'admin' })}.`),
    { name: 'the token in a cookie', headers: () => ({ cookie: `token=${adminToken}` }), code: REFUSED },
    ...Object.entries(others).map(([name, token]) => bearer(name, `Bearer ${token}`)),
  ];
}

/** For routes that ask for a proof of `sender`'s key, which `stranger` does not have. */
export function proofAttempts(
  sender: Sender,
  stranger: SigningKey,
  elsewhere: { readonly url: string; readonly path: (path: string) => string },
): Attempt[] {
  const { key, token } = sender;
  const withProof = (dpop: string) => ({
    dpop,
    ...(token === undefined ? {} : { authorization: `DPoP ${token}` }),
  });
  const honest = async ({ method, url, path }: Target, by: SigningKey = key) =>
    createProof(by, { method, url: `${url}${path}`, token });
  const attempt = (name: string, make: (target: Target) => Promise<string>): Attempt => ({
    name,
    headers: async (target) => withProof(await make(target)),
    code: REFUSED,
  });
  /** The parts of an honest proof, signed again in another way. */
  const resigned = (name: string, sign: Sign): Attempt =>
    attempt(name, async (target) => {
      const [header, claims] = (await honest(target))
        .split('.')
        .map((part, i) => (i < 2 ? (JSON.parse(Buffer.from(part, 'base64url').toString()) as object) : {}));
      return sign(header!, claims!);
    });
  const changed = (name: string, change: (claims: Record<string, unknown>) => object): Attempt =>
    resigned(name, (header, claims) => signJws(header, change(claims as Record<string, unknown>), key));
  const authorization = token === undefined ? {} : { authorization: `DPoP ${token}` };
  return [
    { name: 'no proof', headers: () => authorization, code: REFUSED },
    { name: 'an empty proof', headers: () => withProof(''), code: REFUSED },
    { name: 'no JWS', headers: () => withProof('a.b.c'), code: REFUSED },
    attempt('two proofs', async (target) => `${await honest(target)}, ${await honest(target)}`),
    attempt('a proof for another method', (target) =>
      honest({ ...target, method: target.method === 'GET' ? 'POST' : 'GET' }),
    ),
    attempt('a proof for the other service', (target) => honest({ ...target, url: elsewhere.url })),
    attempt('a proof for another task or path', (target) =>
      honest({ ...target, path: elsewhere.path(target.path) }),
    ),
    changed('a proof that is a minute old', (claims) => ({ ...claims, iat: Number(claims.iat) - 65 })),
    changed('a proof from the future', (claims) => ({ ...claims, iat: Number(claims.iat) + 65 })),
    changed('a proof that has expired', (claims) => ({ ...claims, exp: Number(claims.iat) - 1 })),
    changed('a proof without a time', (claims) => ({ ...claims, iat: undefined })),
    changed('a proof for another token', (claims) => ({ ...claims, ath: 'A'.repeat(43) })),
    resigned('a proof of another type', (header, claims) => signJws({ ...header, typ: 'JWT' }, claims, key)),
    resigned('a proof that names no key', (header, claims) =>
      signJws({ ...header, jwk: undefined }, claims, key),
    ),
    resigned('a proof that names its key by id', (header, claims) =>
      signJws({ ...header, jwk: undefined, kid: key.thumbprint }, claims, key),
    ),
    ...confusions(key, stranger).map(([name, sign]) => resigned(`a proof with ${name}`, sign)),
  ];
}

/** For routes of owners: tokens that the CSP has not issued to this owner for the data user. */
export async function tokenAttempts(
  cspKey: SigningKey,
  ownerKey: SigningKey,
  stranger: SigningKey,
  others: Readonly<Record<string, string>>,
): Promise<Attempt[]> {
  const ownerId = OwnerId.parse('A'.repeat(22));
  const { thumbprint } = ownerKey;
  const lifetimeSeconds = 60;
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: 'Ed25519', typ: 'eigenveil-owner+jwt' };
  const claims = {
    cnf: { jkt: thumbprint },
    iss: cspKey.thumbprint,
    sub: ownerId,
    aud: 'eigenveil/1 data-user',
    iat: now,
    exp: now + lifetimeSeconds,
  };
  const withToken = (name: string, token: string, code = REFUSED): Attempt => ({
    name,
    headers: async ({ method, url, path }) => ({
      authorization: `DPoP ${token}`,
      dpop: await createProof(ownerKey, { method, url: `${url}${path}`, token }),
    }),
    code,
  });
  const expired = { ownerId, thumbprint, lifetimeSeconds: -1 };
  return [
    {
      name: 'a proof without a token',
      headers: async ({ method, url, path }) => ({
        dpop: await createProof(ownerKey, { method, url: url + path }),
      }),
      code: REFUSED,
    },
    withToken('an expired token', await issueOwnerToken(cspKey, expired), 'ERR_TOKEN_EXPIRED'),
    withToken(
      "another owner's token",
      await issueOwnerToken(cspKey, { ownerId, thumbprint: stranger.thumbprint, lifetimeSeconds }),
    ),
    withToken(
      'a token of its own issue',
      await issueOwnerToken(ownerKey, { ownerId, thumbprint, lifetimeSeconds }),
    ),
    withToken('a token not valid yet', await signJws(header, { ...claims, nbf: now + 600 }, cspKey)),
    withToken(
      'a token for another audience',
      await signJws(header, { ...claims, aud: 'eigenveil/1 csp' }, cspKey),
    ),
    withToken('a token of another type', await signJws({ ...header, typ: 'JWT' }, claims, cspKey)),
    ...(await Promise.all(
      confusions(cspKey, stranger).map(async ([name, sign]) =>
        withToken(`a token with ${name}`, await sign(header, claims)),
      ),
    )),
    ...(await Promise.all(
      confusions(cspKey, stranger).map(async ([name, sign]) =>
        withToken(
          `a token that brings its key, with ${name}`,
          await sign({ ...header, jwk: stranger.publicJwk }, claims),
        ),
      ),
    )),
    ...Object.entries(others).map(([name, token]) => withToken(name, token)),
  ];
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (it) => (it === it.toUpperCase() ? it.toLowerCase() : it.toUpperCase()));
}
