#!/usr/bin/env node
/** Runs the command line eigenveil-authenticator. */
import { authenticatorProgram } from '@eigenveil/authenticator/command';
import { runCommand } from '@eigenveil/command';

await runCommand(authenticatorProgram(), process.argv);
