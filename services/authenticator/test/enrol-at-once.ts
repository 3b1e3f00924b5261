/** Enrols a device directly in a database: `DATABASE TOKEN THUMBPRINT [die]`; says how it ended, or dies in its midst. A program of enrolment.test.ts. */
import { hashOneTimeToken } from '@eigenveil/server';
import { digestBytes, Thumbprint } from '@eigenveil/wire';
import { SqliteAuthenticatorStore } from '../src/sqlite-store.ts';

const [database, token, thumbprint, die] = process.argv.slice(2);
const store = new SqliteAuthenticatorStore(database!);
const enrolment = {
  tokenHash: hashOneTimeToken(token!),
  device: Thumbprint.parse(thumbprint),
  projection: digestBytes('test', Buffer.from('a projection')),
  // While this one thinks, with its transaction open and the invitation used up in it, the others come.
  seal: () => {
    if (die === 'die') process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    return Buffer.alloc(64, 1);
  },
};
let outcome = 'enrolled';
try {
  store.enrol(enrolment, new Date());
} catch (error) {
  outcome = (error as { code: string }).code;
}
store.close();
console.log(JSON.stringify({ outcome }));
