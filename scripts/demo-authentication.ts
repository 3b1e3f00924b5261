/**
 * `npm run demo:authentication`: continuous authentication on one machine. Devices with one user's rows each compute a projection with a CSP and
 * a data user, enrol at an authenticator, and are observed; a relying application reads its decisions.
 */
import { createProgram, runCommand } from '@eigenveil/command';
import type { AuthenticationOptions } from '@eigenveil/studies/demo/authentication/run';
import { SET_NAMES } from '@eigenveil/studies/demo/authentication/sets';
import { wholeNumber } from '@eigenveil/studies/instrument/settings';
import { Option } from 'commander';
import { withCompileCache } from './compile-cache.ts';

const program = createProgram({
  name: 'demo:authentication',
  version: '0.1.0',
  description: 'Recognises users window by window by a projection that their devices computed together.',
})
  .addOption(
    new Option('--dataset <NAME>', 'whose rows; meu_keystroke is read from the folder EIGENVEIL_DATA')
      .choices(SET_NAMES)
      .default(SET_NAMES[0]),
  )
  .option(
    '--users <NUMBER>',
    'only the first users of the set, as many as this number: a device each',
    wholeNumber(3, 200),
  )
  .option('--components <NUMBER>', 'k; by default what validation chose for the set', wholeNumber(1, 200))
  .option('--impostors <NUMBER>', 'sessions of others with the device of each user', wholeNumber(1, 10), 2)
  .option(
    '--key-bits <NUMBER>',
    'length of the Paillier key; under 2048 is NOT secure',
    wholeNumber(1024, 4096),
    2048,
  )
  .option('--out <DIR>', 'folder for the results', 'out/authentication')
  .addHelpText(
    'after',
    `
What happens, all of it over TLS between processes of this machine:
  1. Each user is a device with the first 40 % of that user's rows, and no row of anybody else. It enrols at the CSP, sends its
     encrypted sums to the data user, and both servers compute a DCA by "rotated" with a class for each user.
  2. Every device verifies the projection, draws a secret frame (an orthogonal matrix), and enrols at the authenticator.
  3. Sessions, a window at a time, of the last 40 %: of the user, and then of others who hold the device, with its key and frame. The
     relying application reads decisions, confirms the first step-up, and later ones of the user alone.
Settings of the authenticator come from the 20 % between. The table has equal error rates of all pairs of users, projected and raw, per
window and over means of 5. They are computed here from the same rows, since no score leaves the authenticator.

--json prints {dataset, users, features, components, twoParty, totalSeconds, eer: {perSample, overFive}, rawEer: {perSample, overFive}},
rates in [0, 1].

Example:
  npm run demo:authentication -- --users 10
  EIGENVEIL_DATA=~/data npm run demo:authentication -- --dataset meu_keystroke`,
  )
  .action(async (options: AuthenticationOptions) => {
    const { runAuthenticationDemo } = await withCompileCache(async () => {
      const [demo] = await Promise.all([
        import('@eigenveil/studies/demo/authentication/run'),
        import('@eigenveil/authenticator/device'),
      ]);
      return demo;
    });
    await runAuthenticationDemo({ ...options, ...program.opts<{ json?: true }>() });
  });

await runCommand(program, process.argv);
