/** Reads the tapes that the preloaded recorder of randomness has written: a file for each thread of a process. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { z } from 'zod';
import { EVALUATION_CODES } from '../codes.ts';
import type { Draw } from './view.ts';

const FirstLine = z.strictObject({ pid: z.int(), thread: z.int() });
const DrawLine = z.strictObject({ at: z.number(), source: z.string(), bytes: z.base64() });

/**
 * Returns what the threads of one process drew, in order; times since 1970.
 * @throws ERR_VIEW_UNREADABLE
 */
export async function readTapes(folder: string): Promise<{ pid: number; draws: Draw[] }> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const threads = await Promise.all(
    names.map(async (name) => readThread(await readFile(join(folder, name), 'utf8'))),
  );
  const [pid] = threads.map((it) => it.pid);
  if (pid === undefined)
    throw new CodedError(
      EVALUATION_CODES.ERR_VIEW_UNREADABLE,
      `"${folder}" expected the tape of a process, got none`,
    );
  return { pid, draws: threads.flatMap((it) => it.draws).sort((a, b) => a.at - b.at) };
}

function readThread(text: string): { pid: number; draws: Draw[] } {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  try {
    const { pid, thread } = FirstLine.parse(JSON.parse(first));
    const draws = lines.map((line) => {
      const { at, source, bytes } = DrawLine.parse(JSON.parse(line));
      return { at, thread, source, bytes: Buffer.from(bytes, 'base64') };
    });
    return { pid, draws };
  } catch (cause) {
    throw new CodedError(EVALUATION_CODES.ERR_VIEW_UNREADABLE, 'a tape expected one draw on each line', {
      cause,
    });
  }
}
