#!/usr/bin/env node
/** Runs the command line eigenveil-owner. */
import { runCommand } from '@eigenveil/command';
import { ownerProgram } from '@eigenveil/data-owner/command';

await runCommand(ownerProgram(), process.argv);
