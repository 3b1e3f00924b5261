/** The command line eigenveil-authenticator. What an action works with is loaded when it runs: --help and mistakes are told at once. */
import { createProgram } from '@eigenveil/command';
import type { Command } from 'commander';
import { addDevice } from './device-commands.ts';
import { addRelying } from './relying-commands.ts';

export function authenticatorProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-authenticator',
    version: '0.1.0',
    description:
      'Continuous authentication on reduced rows: the back end, and the parts of a relying application and of a device.',
  });
  addRelying(program);
  addDevice(program);
  return program;
}
