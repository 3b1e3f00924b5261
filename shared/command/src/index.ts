/** The parts that command lines share: configuration, results and errors in one form, exit codes. */
export type { Command } from 'commander';
export { asUsage, COMMAND_CODES } from './codes.ts';
export {
  beforeSignal,
  closing,
  createProgram,
  every,
  isJson,
  LINE_MILLISECONDS,
  onShutdown,
  printNote,
  printResult,
  runCommand,
  untilInterrupted,
} from './command.ts';
export {
  checkCanWrite,
  checkConfiguration,
  makeFolder,
  readCertificates,
  readJsonFile,
  readPem,
  readSignedFile,
  readTextFile,
} from './files.ts';
export { PrivateFolder } from './private-folder.ts';
export { CSV_HELP, clippedByName, warnOfClipped, warnOfRemarks } from './rows.ts';
export {
  addSettings,
  type Configuration,
  type Setting,
  type Settings,
  TRACE_ENDPOINT,
} from './settings.ts';
