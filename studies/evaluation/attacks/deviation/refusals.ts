/** The requests of a data user that deviates which a real CSP refuses: records that are not owners', a second unblinding, more answers than it gives. */
import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { placesOf, type Task } from '@eigenveil/task';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { statisticsOf } from '../../released.ts';
import { exactly } from '../in-process/exact.ts';
import { type SmallTask, smallTask, tooSmall } from '../in-process/small-task.ts';
import { Rogue } from './rogue.ts';

const OWNERS = 2;
/** The number of answers by default (S-36). */
const ANSWERS = 3;

/** Something that must be refused: resolves to whether it was not. Other errors, such as a broken line, are no refusal. */
type Attempt = readonly [name: string, codes: readonly string[], accepted: () => Promise<boolean>];

/** Anything added to the statistics. */
const one = (task: Task) => Array.from({ length: placesOf(task).length }, (_, i) => (i === 0 ? 1n : 0n));

export class Round {
  readonly facts: Record<string, string> = {};
  readonly exceptions: boolean[] = [];

  /**
   * Tries what must be refused, and keeps the code of the refusal.
   * @throws whatever is not one of the codes: it says nothing about whether the CSP refuses
   */
  async refused([name, codes, accepted]: Attempt): Promise<void> {
    let answer = 'accepted';
    try {
      if (!(await accepted())) answer = 'without effect';
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === undefined || !codes.includes(code)) throw error;
      answer = code;
    }
    this.facts[name] = answer;
    this.exceptions.push(answer === 'accepted');
  }
}

const anything = (doing: Promise<unknown>) => doing.then(() => true);

async function records(rogue: Rogue, { proposal }: SmallTask, own: readonly Statistics[], round: Round) {
  const task = await rogue.task(proposal, own);
  const other = await rogue.task(proposal, own);
  const { id } = task.agreed.task;
  const { bytes, drawn } = await rogue.blinded(task);
  const [first, second] = task.records;
  await round.refused([
    'unblinding before any record',
    ['ERR_MINIMUM_OWNERS'],
    () => anything(rogue.unblind(id, bytes)),
  ]);
  const forged = await rogue.record(task.agreed, task.contributions[1]!, 0, 1);
  await round.refused([
    "a record that another owner's key signs",
    ['ERR_RECORD_INVALID'],
    () => anything(rogue.sendRecords(id, [forged])),
  ]);
  await round.refused([
    "another task's record",
    ['ERR_TASK_MISMATCH'],
    () => anything(rogue.sendRecords(id, [other.records[0]!])),
  ]);
  await round.refused([
    'the same record twice, as two owners',
    [],
    async () => (await rogue.sendRecords(id, [first!, first!])) > 1,
  ]);
  const substitute = await rogue.record(task.agreed, task.contributions[1]!, 0);
  await round.refused([
    'another record of the same owner, as a second owner',
    ['ERR_CONTRIBUTION_CONFLICT'],
    async () => (await rogue.sendRecords(id, [substitute])) > 1,
  ]);
  await round.refused([
    'unblinding with too few owners',
    ['ERR_MINIMUM_OWNERS'],
    () => anything(rogue.unblind(id, bytes)),
  ]);
  await rogue.sendRecords(id, [second!]);
  await rogue.unblind(id, bytes);
  const again = await rogue.blinded(task);
  await round.refused([
    'unblinding another aggregate',
    ['ERR_UNBLINDING_CONFLICT'],
    () => anything(rogue.unblind(id, again.bytes)),
  ]);
  await rogue.unblind(id, bytes); // the same bytes are answered again
  return { task, other, id, bytes, drawn };
}

async function garbledAnswers(rogue: Rogue, small: SmallTask, own: readonly Statistics[], round: Round) {
  const { task, other, id, bytes, drawn } = await records(rogue, small, own, round);
  const answers: FlatResult[] = [];
  for (let answer = 0; answer < ANSWERS; answer += 1)
    answers.push(
      await rogue.compute(task.agreed.task, drawn, answer === 0 ? undefined : one(task.agreed.task)),
    );
  await round.refused([
    'a fourth answer of garbled',
    ['ERR_TASK_ANSWERED'],
    () => anything(rogue.compute(task.agreed.task, drawn)),
  ]);
  // Under another key, so that it decrypts to something else, if to anything.
  const replayed = other.agreed.task;
  await rogue.sendRecords(replayed.id, other.records);
  await round.refused([
    'an old blinded aggregate in a new task, which gives the old result again',
    ['ERR_PACKING_OVERFLOW', 'ERR_CIPHERTEXT_INVALID'],
    async () => {
      await rogue.unblind(replayed.id, bytes);
      const result = await rogue.compute(replayed, drawn);
      return Math.abs(result.eigenvalues[0]! / answers[0]!.eigenvalues[0]! - 1) < 1e-3;
    },
  ]);
  await rogue.end(id);
  await round.refused([
    'unblinding after the end',
    ['ERR_TASK_CLOSED'],
    () => anything(rogue.unblind(id, bytes)),
  ]);
  await round.refused([
    'an answer after the end',
    ['ERR_TASK_CLOSED'],
    () => anything(rogue.compute(task.agreed.task, drawn)),
  ]);
}

async function rotatedAnswers(
  rogue: Rogue,
  { proposal }: SmallTask,
  own: readonly Statistics[],
  round: Round,
) {
  const task = await rogue.task(proposal, own);
  const { bytes, drawn } = await rogue.blinded(task);
  const { id } = task.agreed.task;
  await rogue.sendRecords(id, task.records);
  await rogue.unblind(id, bytes);
  await rogue.compute(task.agreed.task, drawn);
  await round.refused([
    'a second answer of rotated, for other shares',
    ['ERR_ANSWER_DIFFERS', 'ERR_TASK_ANSWERED'],
    () => anything(rogue.compute(task.agreed.task, drawn, one(task.agreed.task))),
  ]);
  await round.refused([
    'the answer of rotated again, from other randomness',
    ['ERR_ANSWER_DIFFERS', 'ERR_TASK_ANSWERED'],
    () => anything(rogue.compute(task.agreed.task, drawn)),
  ]);
}

const refusals: Unworded = {
  id: 'deviation-refused-requests',
  kind: 'deviation',
  attacker: 'data user',
  secret: 'pooled statistics',
  expectation: 'holds',
  claims: ['S-36', 'S-57', 'S-58', 'S-68', 'S-69', 'S-129', 'S-185'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
  async run({ scene, effort, seed, note }) {
    await using rogue = await Rogue.start(OWNERS);
    const round = new Round();
    const draws = new Draws(seed);
    for (let run = 0; run < (effort === 'quick' ? 1 : 6); run += 1) {
      note(`round ${run + 1}`);
      const statistics = (small: SmallTask) =>
        Array.from({ length: OWNERS }, () =>
          statisticsOf(small.proposal, small.cut(draws.some(scene.owners.flat(), 30))),
        );
      const garbled = smallTask(scene, { features: 3 });
      await garbledAnswers(rogue, garbled, statistics(garbled), round);
      const rotated = smallTask(scene, { twoParty: 'rotated' });
      await rotatedAnswers(rogue, rotated, statistics(rotated), round);
    }
    return exactly(round.exceptions, 'a request that is not refused', { facts: round.facts });
  },
};

export const REFUSALS: readonly Unworded[] = [refusals];
