/** The process that runs DuckDB. It ends with its parent, whose end of the pipe is closed then. */
import { Socket } from 'node:net';
import { onFrames, type Request, writeFrame } from './messages.ts';
import { Reader } from './reader.ts';

/** Neither standard output nor standard error, on which a library might print. */
const ANSWERS = 3;

const reader = new Reader();
const answers = new Socket({ fd: ANSWERS, readable: false, writable: true });
answers.on('error', () => process.exit()); // nobody waits for them
let last = Promise.resolve();
onFrames(process.stdin, (request) => {
  last = last.then(async () => {
    const { answer, numbers } = await reader.answer(request as Request);
    writeFrame(answers, answer, numbers);
  });
});
process.stdin.on('end', () => process.exit());
