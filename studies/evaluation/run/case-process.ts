/** A child process that runs one case after another for the process that started it, and ends with it. */
import { type Job, type Said, Workshop } from './job.ts';

const workshop = new Workshop();
const say = (said: Said) => process.send?.(said);

// A Ctrl-C at the terminal comes to all processes; the one that started this one decides.
process.on('SIGINT', () => {});
// The temporary folders of recordings go with the process.
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => {
  workshop
    .run(job, (text) => say({ kind: 'note', text }))
    .then(
      (outcome) => say({ kind: 'done', outcome }),
      (error: unknown) => {
        // Where it was thrown is for whoever runs this: the reason alone goes into the report, which may be shared.
        process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
        say({ kind: 'failed', why: String(error) });
      },
    );
});
