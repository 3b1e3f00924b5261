#!/usr/bin/env node
/** Runs the command line eigenveil-user. */
import { dataUserProgram } from '@eigenveil/data-user';
import { runCommand } from '@eigenveil/server';

await runCommand(dataUserProgram(), process.argv);
