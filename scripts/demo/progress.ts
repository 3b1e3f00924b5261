/** Live progress of the demo on standard error: a bar per stage on a terminal, a line per stage elsewhere. */
import { Presets, SingleBar } from 'cli-progress';

export class Progress {
  readonly #quiet: boolean;

  constructor({ quiet }: { readonly quiet: boolean }) {
    this.#quiet = quiet;
  }

  /** Runs a stage of `total` steps; the stage calls `tick` after each. */
  async stage<T>(name: string, total: number, work: (tick: () => void) => Promise<T>): Promise<T> {
    const started = performance.now();
    const seconds = () => ((performance.now() - started) / 1000).toFixed(2);
    if (this.#quiet) return work(() => undefined);
    if (!process.stderr.isTTY) {
      const result = await work(() => undefined);
      process.stderr.write(`${name.padEnd(44)} ${seconds().padStart(6)} s\n`);
      return result;
    }
    const format = `${name.padEnd(44)} {bar} {value}/{total} {seconds} s`;
    const bar = new SingleBar({ format, hideCursor: true, barsize: 24 }, Presets.shades_classic);
    bar.start(total, 0, { seconds: seconds() });
    const timer = setInterval(() => bar.update({ seconds: seconds() }), 100);
    try {
      const result = await work(() => bar.increment(1, { seconds: seconds() }));
      bar.update(total, { seconds: seconds() });
      return result;
    } finally {
      clearInterval(timer);
      bar.stop();
    }
  }
}
