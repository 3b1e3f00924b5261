#!/usr/bin/env node
import { ownerProgram } from '@eigenveil/data-owner';
/** Runs the command line eigenveil-owner. */
import { runCommand } from '@eigenveil/server';

await runCommand(ownerProgram(), process.argv);
