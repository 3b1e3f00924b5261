/** Progress of a run on standard error: a bar with the time left on a terminal; elsewhere a line per unit, and every few seconds one of what is at work. */
import { LINE_MILLISECONDS } from '@eigenveil/command';
import { Presets, SingleBar } from 'cli-progress';

interface Unit {
  readonly title: string;
  /** A first guess. */
  readonly expectedSeconds: number;
}

/** Time left, from what units were expected to take and what the ones before took in comparison. */
class TimeLeft {
  #expectedDone = 0;
  #taken = 0;
  #expectedLeft: number;
  readonly #lanes: number;

  /** @param lanes how many units are at work at a time */
  constructor(units: readonly Unit[], lanes = 1) {
    this.#lanes = lanes;
    this.#expectedLeft = units.reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0);
  }

  done({ expectedSeconds }: Unit, seconds: number): void {
    this.#expectedDone += expectedSeconds;
    this.#expectedLeft -= expectedSeconds;
    this.#taken += seconds;
  }

  get seconds(): number {
    const pace = this.#expectedDone > 0 ? this.#taken / this.#expectedDone : 1;
    return Math.max(0, (this.#expectedLeft * pace) / this.#lanes);
  }
}

interface StudyProgress {
  begin(unit: Unit): void;
  note(text: string): void;
  done(unit: Unit, seconds: number): void;
  stop(): void;
}

/** @param count of units that an earlier run has done, and of lanes: see TimeLeft */
export function showProgress(
  units: readonly Unit[],
  count: { readonly resumed: number; readonly lanes?: number },
): StudyProgress {
  const left = new TimeLeft(units, count.lanes);
  const total = units.length + count.resumed;
  let finished = count.resumed;
  if (!process.stderr.isTTY) {
    let timer: NodeJS.Timeout | undefined;
    return {
      begin({ title }) {
        clearInterval(timer);
        const began = performance.now();
        timer = setInterval(() => {
          const seconds = Math.round((performance.now() - began) / 1000);
          process.stderr.write(`[${finished}/${total}] ${title}: at it for ${seconds} s\n`);
        }, LINE_MILLISECONDS);
      },
      note: () => undefined,
      done: (unit, seconds) => {
        clearInterval(timer);
        finished += 1;
        left.done(unit, seconds);
        process.stderr.write(
          `[${finished}/${total}] ${unit.title}: ${seconds.toFixed(1)} s, ${formatDuration(left.seconds)} left\n`,
        );
      },
      stop: () => clearInterval(timer),
    };
  }
  const format = '{bar} {value}/{total} · {left} left · {title} {note}';
  const bar = new SingleBar({ format, hideCursor: true, barsize: 24 }, Presets.shades_classic);
  const payload = () => ({ left: formatDuration(left.seconds) });
  bar.start(total, finished, { ...payload(), title: '', note: '' });
  return {
    begin: ({ title }) => bar.update(finished, { ...payload(), title, note: '' }),
    note: (note) => bar.update(finished, { note: `(${note})` }),
    done: (unit, seconds) => {
      finished += 1;
      left.done(unit, seconds);
      bar.update(finished, payload());
    },
    stop: () => bar.stop(),
  };
}

/** Such as `12 s`, `3 min` or `1 h 5 min`. */
function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
