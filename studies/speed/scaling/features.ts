/** Time of each role, and bytes, against the number of features: with it grow the slots and the ciphertexts. */
import {
  add,
  encodeCiphertexts,
  PaillierPool,
  type Plaintext,
  PublicKey,
  pack,
  packBlinding,
} from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { draw, sharesAtDataUser, unblind } from '@eigenveil/protocol/servers';
import { flatten, layout } from '@eigenveil/statistics';
import type { Tidy } from '../../instrument/tidy.ts';
import { EXAMPLE_OWNERS, EXAMPLE_SAMPLES_PER_OWNER } from '../example-task.ts';
import { checkValues, type KeyedTask, opened } from '../steps.ts';
import { KEY_BITS, repeated, sumRows, sweepTask, timed, withRows } from './sweep.ts';

interface FeaturesRequest {
  readonly features: number;
  /** The number of rows in the owner's file. */
  readonly rows: number;
  readonly repetitions: number;
  /** At most this number of standard encryptions are timed, and scaled up to all. */
  readonly standardSample: number;
}

/** Contributions within one sample of the data user's work on them: one alone may take little more than the clock's step. */
const CONTRIBUTIONS = 10;

/** @throws Error when the CSP comes to other values than those that the owner encrypted */
export function measureFeatures(request: FeaturesRequest, note: (text: string) => void): Promise<Tidy[]> {
  const { features, rows, repetitions, standardSample } = request;
  const task = sweepTask({ features, owners: EXAMPLE_OWNERS, samplesPerOwner: EXAMPLE_SAMPLES_PER_OWNER });
  const packing = layout(task);
  const ciphertexts = packing.plaintexts.length;
  return withRows({ rows, features }, async (file) => {
    const pool = new PaillierPool({ threads: 0 });
    let contributionBytes = 0;
    const times = await repeated(repetitions, async (repetition) => {
      note(`${repetition} of ${repetitions}`);
      // A new key for each repetition, so that everybody's set-up for it is part of the time.
      const secretKey = await pool.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
      const { result: statistics, milliseconds: sum } = await timed(() => sumRows(task, file));
      const values = flatten(task, statistics);
      const roles = new Roles(
        pool,
        { task, publicKey: secretKey.publicKey, secretKey, packing },
        standardSample,
      );
      const owner = await roles.owner(values, repetition % 2 === 0);
      contributionBytes = owner.contribution.length;
      const user = await roles.dataUser(owner.contribution);
      const csp = await roles.csp(user.blinded);
      const shares = { csp: csp.shares, dataUser: sharesAtDataUser(task, user.drawn) };
      checkValues('unblinding', opened(task, shares), values);
      return { 'owner/sum': sum, ...owner.times, ...user.times, ...csp.times };
    });
    await pool.close();
    return times.map((one) => ({
      ...one,
      slots: packing.valueBits.length,
      ciphertexts,
      contributionBytes,
      standardTimed: Math.min(ciphertexts, standardSample),
    }));
  });
}

/** The work of the roles under one key. */
class Roles {
  readonly #pool: PaillierPool;
  readonly #under: KeyedTask;
  readonly #standardSample: number;

  constructor(pool: PaillierPool, under: KeyedTask, standardSample: number) {
    this.#pool = pool;
    this.#under = under;
    this.#standardSample = standardSample;
  }

  /** Packs, encrypts and encodes by both schemes, which take turns at being first. */
  async owner(values: readonly bigint[], standardFirst: boolean) {
    const { publicKey, packing } = this.#under;
    let contribution: Uint8Array = new Uint8Array();
    // The pool sets up once per key; without h this counts as another one, so neither scheme finds the other's set-up.
    const standardKey = new PublicKey({ n: publicKey.n });
    const standard = async () => {
      const packed = await timed(() => pack(publicKey, packing, values));
      const encrypted = await this.#standard(standardKey, packed.result);
      return packed.milliseconds + encrypted.milliseconds;
    };
    const djn = async () => {
      const done = await timed(() => contribute(this.#under, values, this.#by()));
      contribution = done.result;
      return done.milliseconds;
    };
    const times: Record<string, number> = {};
    for (const name of standardFirst ? ['standard', 'djn'] : ['djn', 'standard']) {
      times[`owner/${name}`] = await (name === 'standard' ? standard() : djn());
    }
    return { times, contribution };
  }

  /** Validates and adds a contribution, and blinds a sum. */
  async dataUser(contribution: Uint8Array) {
    const { publicKey, packing } = this.#under;
    const count = packing.plaintexts.length;
    const start = await this.#pool.decode(publicKey, contribution, count);
    // The data user meets a key once and contributions under it many times: the set-up is no part of one of them.
    await this.#pool.aggregate(publicKey, start, [contribution]);
    const many = new Array<Uint8Array>(CONTRIBUTIONS).fill(contribution);
    const validated = await timed(async () => {
      for (const bytes of many) await this.#pool.check(publicKey, bytes, count);
    });
    const added = await timed(() => this.#pool.aggregate(publicKey, start, many));
    const packed = await timed(() => {
      const drawn = draw(this.#under, systemRandomness);
      return { drawn, plaintexts: packBlinding(publicKey, packing, drawn.blinding) };
    });
    const { drawn, plaintexts } = packed.result;
    const encrypted = await this.#standard(publicKey, plaintexts);
    // The other roles take no notice of the scheme, so for what is not timed it is the faster one.
    const addends = await this.#pool.encrypt(publicKey, plaintexts, 'djn');
    const blinded = await timed(() =>
      encodeCiphertexts(
        publicKey,
        start.map((ciphertext, i) => add(publicKey, ciphertext, addends[i]!)),
      ),
    );
    const times = {
      'user/validate': validated.milliseconds / CONTRIBUTIONS,
      'user/add': added.milliseconds / CONTRIBUTIONS,
      'user/blind': packed.milliseconds + encrypted.milliseconds + blinded.milliseconds,
    };
    return { times, drawn, blinded: blinded.result };
  }

  /** Reads, checks and decrypts the blinded sum, takes its slots apart, and keeps its shares. */
  async csp(blinded: Uint8Array) {
    const { publicKey, packing } = this.#under;
    const { result: shares, milliseconds } = await timed(async () => {
      const ciphertexts = await this.#pool.decode(publicKey, blinded, packing.plaintexts.length);
      return unblind(this.#under, ciphertexts, this.#by());
    });
    return { times: { 'csp/unblind': milliseconds }, shares };
  }

  #by() {
    return { paillier: this.#pool, randomness: systemRandomness };
  }

  /**
   * Standard encryption and encoding of all plaintexts, of which only a sample is done: each costs one exponentiation with the
   * same exponent. The first, with the set-up for the key, counts once.
   */
  async #standard(key: PublicKey, plaintexts: readonly Plaintext[]): Promise<{ milliseconds: number }> {
    const encrypt = (part: readonly Plaintext[]) =>
      timed(async () => encodeCiphertexts(key, await this.#pool.encrypt(key, part, 'standard')));
    const first = await encrypt(plaintexts.slice(0, 1));
    const others = plaintexts.slice(1, this.#standardSample);
    if (others.length === 0) return { milliseconds: first.milliseconds };
    const rest = await encrypt(others);
    const scale = (plaintexts.length - 1) / others.length;
    return { milliseconds: first.milliseconds + scale * rest.milliseconds };
  }
}
