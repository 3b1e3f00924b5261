/**
 * Runs a CSP and a data user for the tests of the Python package until standard input ends, and says in one line of
 * JSON where they are: `node test/support/python/services.ts OWNERS`.
 */
import { once } from 'node:events';
import { inviteOwners } from '@eigenveil/csp';
import { World } from '../world.ts';

const world = await World.start();
const { dataDirectory, cspThumbprint, tlsCertificate } = world.dataUserConfig;
const told = {
  cspUrl: world.cspAddress.url,
  cspThumbprint,
  userUrl: world.dataUserAddress.url,
  userDirectory: dataDirectory,
  ca: tlsCertificate,
  tokens: await inviteOwners(world.cspConfig.dataDirectory, Number(process.argv[2]), 3600),
};
process.stdout.write(`${JSON.stringify(told)}\n`);
await once(process.stdin.resume(), 'end');
await world.close();
