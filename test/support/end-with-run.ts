/** Ends a worker of the tests when the process that runs them is gone: else it would work on, with services and databases, for nobody. */
const TOLD = Symbol.for('eigenveil: ends with its run');
const told = process as { [TOLD]?: true };

// It is run once per file, in a process that several files share.
if (!told[TOLD]) {
  told[TOLD] = true;
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
