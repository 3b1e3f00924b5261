/** The rotation of the key that seals, interrupted at any of its changes; what a kill does to its files, test/key-rotation.test.ts tries. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { databaseFile } from '../../src/cli/settings.ts';
import { loadOrCreateKeyRing, type SealedStore, Sealer } from '../../src/index.ts';
import { readKeyRing } from '../../src/secrets/key-ring.ts';
import { rotateKey } from '../../src/secrets/rotation.ts';
import { temporaryDirectory } from '../temporary.ts';

const PLACES = ['tasks/1/key', 'tasks/2/key', 'tasks/3/key'];

describe('a rotation', () => {
  let keyFile: string;
  let dataDirectory: string;
  let sealed: Map<string, Uint8Array>;
  let secrets: Map<string, string>;
  /** After so many values the store fails: values that were only looked at count, too. */
  let failsAfter: number;
  const open = (): SealedStore => ({
    async reseal(change) {
      let changes = 0;
      for (const place of PLACES) {
        if (failsAfter === 0) throw new Error('interrupted');
        failsAfter -= 1;
        const [before, after] = [sealed.get(place)!, change(place, sealed.get(place)!)];
        sealed.set(place, after);
        if (!Buffer.from(before).equals(after)) changes += 1;
      }
      return changes;
    },
    close: () => undefined,
  });
  const rotate = () => rotateKey({ keyFile, dataDirectory, open });
  const opened = async () => {
    const sealer = new Sealer(...(await readKeyRing(keyFile)));
    return new Map([...sealed].map(([place, value]) => [place, `${Buffer.from(sealer.open(place, value))}`]));
  };

  beforeEach(async () => {
    dataDirectory = await temporaryDirectory();
    keyFile = join(dataDirectory, 'key-encryption-key');
    await writeFile(databaseFile(dataDirectory), '');
    const sealer = new Sealer(...(await loadOrCreateKeyRing(keyFile)));
    secrets = new Map(PLACES.map((place) => [place, randomBytes(8).toString('hex')]));
    sealed = new Map([...secrets].map(([place, secret]) => [place, sealer.seal(place, Buffer.from(secret))]));
    failsAfter = Number.POSITIVE_INFINITY;
  });

  test('leaves every value under one other key', async () => {
    const [old] = await readKeyRing(keyFile);
    const { keyId, resealed } = await rotate();
    expect(resealed).toBe(PLACES.length);
    const ring = await readKeyRing(keyFile);
    expect(ring.map((key) => new Sealer(key).keyIds[0])).toEqual([keyId]);
    expect(ring[0]).not.toEqual(old);
    expect(await opened()).toEqual(secrets);
  });

  test('that is interrupted anywhere leaves every key that is needed, and the next one ends it, with no third key', async () => {
    const [old] = await readKeyRing(keyFile);
    let interruptions = 0;
    for (let after = 0; ; after += 1) {
      failsAfter = after;
      const isOver = await rotate().then(
        () => true,
        (error: Error) => error.message !== 'interrupted',
      );
      if (isOver) break;
      interruptions += 1;
      failsAfter = Number.POSITIVE_INFINITY;
      expect(await opened()).toEqual(secrets);
      const ring = await readKeyRing(keyFile);
      expect(ring.length).toBeLessThanOrEqual(2);
      expect(ring.at(-1)).toEqual(old);
    }
    // At least once while it looked at the values, and once while it sealed them anew.
    expect(interruptions).toBeGreaterThan(PLACES.length);
    expect(await readKeyRing(keyFile)).toHaveLength(1);
    expect(await opened()).toEqual(secrets);
  });

  test('is refused where processes share the database, before anything is opened', async () => {
    const before = await readKeyRing(keyFile);
    const shared = rotateKey({ keyFile, dataDirectory: undefined, open: () => expect.fail('opened') });
    await expect(shared).rejects.toMatchObject({ code: 'ERR_CONFIGURATION' });
    expect(await readKeyRing(keyFile)).toEqual(before);
  });
});
