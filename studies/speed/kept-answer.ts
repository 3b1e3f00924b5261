/** The one answer of `rotated` that a service keeps, durably as the services do, in a folder of its own: its cost is part of what is measured. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDriver } from '@eigenveil/server';
import {
  ANSWER_TABLES,
  type AnswerStore,
  countRun,
  keepSeed,
  keepTag,
  keptAnswer,
} from '@eigenveil/server/answers';
import { Sealer } from '@eigenveil/server/sealing';
import { openDatabase } from '@eigenveil/server/sqlite';

const TASK = 'measured';

/** The folder goes when the process ends. */
export async function answerOnDisk(service: 'csp' | 'data-user') {
  const folder = mkdtempSync(join(tmpdir(), 'eigenveil-answer-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const tasks = `CREATE TABLE tasks (task_id TEXT PRIMARY KEY) STRICT; INSERT INTO tasks VALUES ('${TASK}')`;
  const driver = new SqliteDriver(openDatabase(join(folder, 'database'), [tasks, ANSWER_TABLES], service));
  const answers: AnswerStore = {
    keepSeed: (taskId, seed) => driver.transaction('keepSeed', () => keepSeed(taskId, seed, 'true')),
    keepTag: (...tagged) => driver.transaction('keepTag', () => keepTag(...tagged)),
  };
  const noteMatrix = async () => {
    await driver.transaction('countRun', () => countRun(TASK));
  };
  const sealer = new Sealer(new Uint8Array(32)); // its key protects nothing here
  return { ...(await keptAnswer(answers, sealer, TASK, TASK)), noteMatrix };
}
