/** `npm run bench:authenticator`: windows a second in the library and over HTTPS, latency, and memory with many users. */

import { type AuthenticatorOptions, runAuthenticator } from '@eigenveil/studies/speed/authenticator/run';
import { renderAuthenticator } from '@eigenveil/studies/speed/authenticator/table';
import { benchmark, wholeNumber } from './options.ts';

const EXPLANATION = `First the library, on one thread. Then an authenticator is started as a process of its own, and users are written into its database as
enrolling them would. One more process plays the devices: it opens a session for each over TLS connections that stay open, and sends windows in
turn, each request with a fresh proof of possession: for some seconds in batches of 20, for as many in single windows. Windows are like those of the
templates, so that decisions stay as they are. All processes share the cores of this machine. CPU times are of all threads of a process.`;

const options = benchmark({
  name: 'bench:authenticator',
  description: 'Measures what continuous authentication costs, in the library and over HTTPS.',
  explanation: EXPLANATION,
  example: '--users 1000 --sessions 100 --seconds 2 --json',
})
  .option('--users <NUMBER>', 'enrolled', wholeNumber(), 100_000)
  .option('--sessions <NUMBER>', 'open at a time, each of a user of its own', wholeNumber(), 10_000)
  .option('--seconds <NUMBER>', 'of batches, and of single windows', wholeNumber(1, 3600), 10)
  .option('--batch-connections <NUMBER>', 'requests at a time, of batches', wholeNumber(), 16)
  .option('--single-connections <NUMBER>', 'requests at a time, of single windows', wholeNumber(), 4)
  .parse()
  .opts<AuthenticatorOptions>();

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(code));
}
const result = await runAuthenticator(options);
process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${renderAuthenticator(result)}\n`);
