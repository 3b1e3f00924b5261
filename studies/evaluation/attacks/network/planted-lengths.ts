/** Lengths that would tell: what the instrument must see, and the one that is admitted. */

import { encodeCiphertexts, PaillierPool } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { resultOf } from '@eigenveil/protocol/servers';
import { flatten, layout } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { releasedBy, statisticsOf } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { exactly, oddOnes } from '../in-process/exact.ts';
import { agreed, smallTask, tooSmall, withoutClasses } from '../in-process/small-task.ts';
import { startSite } from './site.ts';

const CHANCE = 0.5;
const chance = (n: number) => new Array<number>(n).fill(CHANCE);

const absentClass: Unworded = {
  id: 'network-absent-class',
  kind: 'network',
  attacker: 'network',
  secret: 'classes and counts',
  expectation: 'control',
  claims: ['S-341'],
  unit: 'owner',
  scenes: ['iris'],
  omits: withoutClasses,
  async run({ scene, effort, seed }) {
    const paillier = new PaillierPool({ threads: 0 });
    try {
      const { publicKey } = await paillier.generateKeyPair({
        bits: 1024,
        scheme: 'djn',
        allowInsecureKey: true,
      });
      const { proposal, cut } = smallTask(scene, { kind: 'dca' });
      const task = agreed(proposal);
      const under = { task, publicKey, packing: layout(task) };
      const by = { paillier, randomness: systemRandomness };
      const draws = new Draws(seed);
      const [{ column, classes }] = task.labellings as [Task['labellings'][number]];
      const rows = cut(scene.owners.flat());
      const length = { honest: [] as number[], planted: [] as number[] };
      const single: boolean[] = [];
      for (let owner = 0; owner < (effort === 'quick' ? 60 : 200); owner += 1) {
        const label = draws.some(classes, 1)[0]!;
        single.push(owner % 2 === 0);
        const some = single[owner]! ? rows.filter(({ labels }) => labels[column] === label) : rows;
        const values = flatten(task, statisticsOf(task, draws.some(some, 40)));
        length.honest.push((await contribute(under, values, by)).length);
        const present = values.filter((value) => value !== 0n).map((value) => BigInt.asUintN(64, value));
        const sent = await paillier.encrypt(publicKey, present, 'djn');
        length.planted.push(encodeCiphertexts(publicKey, sent).length);
      }
      const guessed = (lengths: readonly number[]) =>
        lengths.map((bytes, i) => Number(bytes < Math.max(...lengths) === single[i]));
      return {
        kind: 'trials',
        attack: guessed(length.planted),
        control: guessed(length.honest),
        paired: true,
        baseline: CHANCE,
        facts: { 'bytes of a contribution': [...new Set(length.honest)].join(', ') },
      };
    } finally {
      await paillier.close();
    }
  },
};

const unpadded: Unworded = {
  id: 'network-unpadded-result',
  kind: 'network',
  attacker: 'network',
  secret: 'pooled statistics',
  expectation: 'control',
  claims: ['S-341'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
  async run({ scene, seed }) {
    const { proposal, cut } = smallTask(scene);
    const task = agreed(proposal);
    const draws = new Draws(seed);
    const rows = cut(scene.owners.flat());
    const runs = Array.from({ length: 20 }, () => {
      const half = draws.some(rows, Math.ceil(rows.length / 2));
      const result = resultOf(task, { ...releasedBy(proposal, [half, half]), kind: 'components' });
      return { group: 'results', shape: `${JSON.stringify(result).length}` };
    });
    return exactly(oddOnes(runs), 'a length that differs');
  },
};

const noResult: Unworded = {
  id: 'network-no-result',
  kind: 'network',
  attacker: 'network',
  secret: 'result',
  expectation: 'admitted',
  claims: ['S-342'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
  async run({ scene, effort }) {
    await using site = await startSite(2, 1);
    // Any protocol: what is refused is refused alike.
    const { proposal, cut } = smallTask(scene, { twoParty: 'simulated' });
    const answered = async (rows: readonly SceneRow[]) => {
      const part = async (task: Task) => statisticsOf(task, cut(rows));
      const { seen } = await site.run(proposal, [part, part]);
      return seen['owners to data user'].at(-1)!.bytes;
    };
    const [own] = scene.owners;
    const refusedRows = new Array<SceneRow>(8).fill(own![0]!);
    const result = await answered(own!);
    const attack: number[] = [];
    for (let run = 0; run < (effort === 'quick' ? 2 : 14); run += 1) {
      const refused = run % 2 === 0;
      attack.push(Number((await answered(refused ? refusedRows : own!)) < result === refused));
    }
    return {
      kind: 'trials',
      attack,
      control: chance(attack.length),
      chance: true,
      baseline: CHANCE,
      facts: { 'bytes with a result': result },
    };
  },
};

export const PLANTED_LENGTHS: readonly Unworded[] = [absentClass, unpadded, noResult];
