#!/usr/bin/env node
import { runCommand } from '@eigenveil/command';
/** Runs the command line eigenveil-user. */
import { dataUserProgram } from '@eigenveil/data-user';

await runCommand(dataUserProgram(), process.argv);
