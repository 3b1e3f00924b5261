/** What is read out of a trace of system calls, and that an answer which leaves too early is found in it. */
import { expect, test } from 'vitest';
import { isSqliteLog, lapse, parseTrace } from './support/system-calls.ts';

const SOCKET = '22<TCP:[127.0.0.1:8444->127.0.0.1:5555]>';
const OTHER = '23<TCP:[127.0.0.1:8444->127.0.0.1:15555]>';
/** The service's own, to its database, which the system has given the same port as the client's. */
const DATABASE = '9<TCP:[127.0.0.1:5432->127.0.0.1:5555]>';
const LOG = '18</data/eigenveil.sqlite-wal>';
const READ = `10 read(${SOCKET}, "\\27\\3\\3", 65536) = 517`;
const WRITE = `10 pwrite64(${LOG}, "\\0\\2digest-of-it\\"", 4096, 56) = 4096`;
const SYNC = `10 fdatasync(${LOG}) = 0`;
const ANSWER = `10 write(${SOCKET}, "\\27\\3\\3 = 1", 300) = 300`;
const ANSWERED = { ports: { service: 8444, client: 5555 }, marks: ['receipt-of-it', 'digest-of-it'] };
const lapseOf = (...lines: string[]) => lapse(parseTrace(lines.join('\n')), isSqliteLog, ANSWERED);

test('calls have their target, their result and their place, also those that others interrupt', () => {
  const trace = [
    '10 read(0</dev/pts/0<char 136:0>>, "", 1) = 0',
    `10 fdatasync(${LOG} <unfinished ...>`,
    `11 write(${SOCKET}, "a = 7", 5) = -1 EAGAIN (Resource temporarily unavailable)`,
    `10 <... fdatasync resumed>)        = 0`,
    `10 write(${SOCKET}, "b <unfinished ...>", 30) = ?`,
    `11 write(${OTHER}, "c", 1 <unfinished ...>`,
    '11 +++ killed by SIGKILL +++',
  ].join('\n');
  expect(parseTrace(trace).slice(1)).toMatchObject([
    { name: 'fdatasync', target: '/data/eigenveil.sqlite-wal', began: 1, ended: 3, result: 0 },
    { name: 'write', target: 'TCP:[127.0.0.1:8444->127.0.0.1:5555]', began: 2, ended: 2, result: -1 },
    { name: 'write', text: ', "b <unfinished ...>", 30)', began: 4, ended: 4, result: Number.NaN },
    { name: 'write', text: ', "c", 1', began: 5, ended: Number.POSITIVE_INFINITY, result: Number.NaN },
  ]);
});

test('written, synced, answered is right, whatever others do meanwhile', () => {
  expect(lapseOf(READ, WRITE, SYNC, ANSWER)).toBeUndefined();
  const others = [`11 read(${OTHER}, "", 9) = 9`, `11 write(${OTHER}, "", 9) = 9`];
  expect(lapseOf(...others, READ, ...others, WRITE, ...others, SYNC, ...others, ANSWER)).toBeUndefined();
  const query = [`12 recvfrom(${DATABASE}, "", 9) = 9`, `12 sendto(${DATABASE}, "", 9) = 9`];
  expect(
    lapseOf(...query, READ, ...query, WRITE, ...query, SYNC, ...query, ANSWER, ...query),
  ).toBeUndefined();
});

test.each([
  ['no request arrived', [`10 read(${SOCKET}, "", 65536) = 0`, WRITE, SYNC, ANSWER]],
  ['no answer left', [ANSWER, READ, WRITE, SYNC]],
  ['the log never got what the answer vouches for', [READ, WRITE.replace('digest', 'nothing'), SYNC, ANSWER]],
  ['the log never got what the answer vouches for', [READ, WRITE.replace('-wal', ''), SYNC, ANSWER]],
  ['the log never got what the answer vouches for', [WRITE, SYNC, READ, ANSWER]],
  ['the answer left before the log was written', [READ, ANSWER, WRITE, SYNC]],
  ['the answer left before the log was synced', [READ, WRITE, ANSWER, SYNC]],
  ['the answer left before the log was synced', [READ, SYNC, WRITE, ANSWER]],
  ['the answer left before the log was synced', [READ, WRITE, SYNC.replace('-wal', ''), ANSWER]],
  [
    'the answer left before the log was synced',
    [READ, WRITE, SYNC.replace('= 0', '= -1 EIO (Error)'), ANSWER],
  ],
  [
    'the answer left before the log was synced',
    [READ, WRITE, `11 fdatasync(${LOG} <unfinished ...>`, ANSWER, '11 <... fdatasync resumed>) = 0'],
  ],
  [
    'the answer left before the log was synced',
    [READ, `11 fdatasync(${LOG} <unfinished ...>`, WRITE, '11 <... fdatasync resumed>) = 0', ANSWER],
  ],
])('%s', (expected, lines) => {
  expect(lapseOf(...lines)).toBe(expected);
});
