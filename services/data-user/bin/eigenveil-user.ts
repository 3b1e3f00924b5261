#!/usr/bin/env node
/** Runs the command line eigenveil-user. */
import { runCommand } from '@eigenveil/command';
import { dataUserProgram } from '@eigenveil/data-user/command';

await runCommand(dataUserProgram(), process.argv);
