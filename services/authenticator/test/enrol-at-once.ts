/** Enrols a device directly in a database: `DATABASE TOKEN THUMBPRINT [die]`; says that it is in its midst, or dies there. A program of enrolment.test.ts. */
import { hashOneTimeToken } from '@eigenveil/server';
import { digestBytes, Thumbprint } from '@eigenveil/wire';
import { SqliteAuthenticatorStore } from '../src/store/sqlite-store.ts';

const [database, token, thumbprint, die] = process.argv.slice(2);
const store = new SqliteAuthenticatorStore(database!);
const enrolment = {
  tokenHash: hashOneTimeToken(token!),
  device: Thumbprint.parse(thumbprint),
  projection: digestBytes('test', Buffer.from('a projection')),
  // While this one thinks, with its transaction open and the invitation used up in it, the other comes.
  seal: () => {
    if (die === 'die') process.kill(process.pid, 'SIGKILL');
    console.log(JSON.stringify({ event: 'enrolling' }));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    return Buffer.alloc(64, 1);
  },
};
store.enrol(enrolment, new Date());
store.close();
