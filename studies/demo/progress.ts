/** Live progress of the demo on standard error: a bar per stage on a terminal; elsewhere a line per stage, and every few seconds how far it is. */
import { LINE_MILLISECONDS } from '@eigenveil/command';
import { Presets, SingleBar } from 'cli-progress';

export class Progress {
  readonly #quiet: boolean;

  constructor({ quiet }: { readonly quiet: boolean }) {
    this.#quiet = quiet;
  }

  /** Runs a stage of `total` steps; the stage calls `tick` after each, and `note` to say more about the running one. */
  async stage<T>(
    name: string,
    total: number,
    work: (tick: () => void, note: (text: string) => void) => Promise<T>,
  ): Promise<T> {
    const started = performance.now();
    const seconds = () => ((performance.now() - started) / 1000).toFixed(2);
    const silent = () => undefined;
    if (this.#quiet) return work(silent, silent);
    if (!process.stderr.isTTY) {
      let done = 0;
      let note = '';
      const timer = setInterval(() => {
        process.stderr.write(`  ${name}: ${done}/${total} in ${seconds()} s ${note}`.trimEnd().concat('\n'));
      }, LINE_MILLISECONDS);
      try {
        const result = await work(
          () => {
            done += 1;
            note = '';
          },
          (text) => {
            note = text;
          },
        );
        process.stderr.write(`${name.padEnd(44)} ${seconds().padStart(6)} s\n`);
        return result;
      } finally {
        clearInterval(timer);
      }
    }
    const format = `${name.padEnd(44)} {bar} {value}/{total} {seconds} s {note}`;
    const bar = new SingleBar({ format, hideCursor: true, barsize: 24 }, Presets.shades_classic);
    bar.start(total, 0, { seconds: seconds(), note: '' });
    const timer = setInterval(() => bar.update({ seconds: seconds() }), 100);
    try {
      const result = await work(
        () => bar.increment(1, { seconds: seconds(), note: '' }),
        (note) => bar.update({ note }),
      );
      bar.update(total, { seconds: seconds(), note: '' });
      return result;
    } finally {
      clearInterval(timer);
      bar.stop();
    }
  }
}
