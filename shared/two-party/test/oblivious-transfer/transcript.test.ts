/** The bytes of a whole session with seeded randomness, and that seeded randomness cannot be had outside of tests. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { seeded } from '@eigenveil/testbed/random';
import { describe, expect, test } from 'vitest';
import * as twoParty from '../../src/index.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import * as plan from '../../src/plan.ts';
import { receiveChosen, receiveRandom, sendChosen, sendRandom } from '../support/random-transfers.ts';
import { randomChoices, session } from './parties.ts';

const ROOM = new URL('../../src/oblivious-transfer/', import.meta.url);

const hash = (messages: readonly Uint8Array[]) => {
  const digest = createHash('sha256');
  for (const message of messages) digest.update(message);
  return digest.digest('hex');
};

describe('the transcript', () => {
  test('is the recorded one, in both directions and in what each end gets', async () => {
    const { sender, receiver, fromSender, fromReceiver } = await session({
      delta: drawDelta(seeded('golden delta')),
      senderRandom: seeded('golden sender'),
      receiverRandom: seeded('golden receiver'),
    });
    const outputs: Uint8Array[] = [];
    for (const count of [1, 100, 70_000]) {
      const choices = randomChoices(count, seeded(`golden choices ${count}`));
      const [zeros, ones] = [seeded('zeros')(16 * count), seeded('ones')(16 * count)];
      outputs.push(...(await Promise.all([sender.extend(count), receiver.extend(choices)])));
      const [sent, got] = await Promise.all([sendRandom(sender, count), receiveRandom(receiver, choices)]);
      outputs.push(sent.zeros, sent.ones, got);
      outputs.push(
        (await Promise.all([sendChosen(sender, zeros, ones), receiveChosen(receiver, choices)]))[1],
      );
    }
    expect({
      fromSender: hash(fromSender),
      fromReceiver: hash(fromReceiver),
      outputs: hash(outputs),
    }).toEqual({
      fromSender: '58e69b6a27afd0faa0c7bc6014e15a5ebe4173e60385f9c22e14eab8630f53c8',
      fromReceiver: '1263db7e61ab3af86be089f4c915d9f23f5bd380c8cf179c4f026a89ed5a64e8',
      outputs: '5cccffebc90df539fb9be48de29af9085e6db2b7548058871bf8b5db77b02138',
    });
  });

  test('differs every time in production', async () => {
    const delta = drawDelta();
    const transcripts = new Set<string>();
    for (let run = 0; run < 2; run += 1) {
      const { fromSender, fromReceiver } = await session({ delta });
      transcripts.add(hash(fromSender)).add(hash(fromReceiver));
    }
    expect(transcripts.size).toBe(4);
  });

  test('cannot be made reproducible through what the package exports', () => {
    // No function to which a source could be given, and no class whose constructor would take one.
    expect(Object.keys(twoParty).filter((name) => /sender|receiver|random/i.test(name))).toEqual([]);
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', ROOM), 'utf8')) as {
      exports: object;
    };
    // What follows from a task alone draws nothing; the linter keeps everything that is shipped from the insides.
    expect(Object.keys(plan).filter((name) => /sender|receiver|random/i.test(name))).toEqual([]);
    expect(Object.keys(manifest.exports)).toEqual(['.', './insides', './plan']);
  });

  test('draws from the one source that there is: the system', () => {
    for (const file of readdirSync(ROOM)) {
      const text = readFileSync(new URL(file, ROOM), 'utf8');
      const systemSources =
        text.match(/randomBytes|getRandomValues|randomFill|generateKey|Math\.random/g) ?? [];
      // Once imported and once used.
      expect([file, systemSources.length]).toEqual([file, file === 'randomness.ts' ? 2 : 0]);
      const assigned =
        text.match(/random: \w+/g)?.filter((source) => source !== 'random: RandomSource') ?? [];
      expect([file, assigned.filter((source) => source !== 'random: systemRandomness')]).toEqual([file, []]);
    }
  });
});
