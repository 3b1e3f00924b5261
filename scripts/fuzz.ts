/** `npm run fuzz`: tries every parser that takes something from outside with inputs that are nearly right. */
import { randomInt } from 'node:crypto';
import { createProgram, every, LINE_MILLISECONDS, printResult, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { wholeNumber } from '@eigenveil/studies/instrument/settings';
import { Presets, SingleBar } from 'cli-progress';
import { type Finding, fuzz } from '../test/fuzz/target.ts';
import { allTargets, shares } from '../test/fuzz/targets.ts';

const FAILURE = codes({ ERR_FUZZ: { title: 'Parsers failed' } });

const INPUTS = 100_000;
const LEAST = 50;

interface Options {
  readonly inputs: number;
  readonly seed: number;
  readonly only: string;
}

const program = createProgram({
  name: 'fuzz',
  version: '0.1.0',
  description: 'Tries every parser that takes something from outside with inputs that are nearly right.',
})
  .option('--inputs <NUMBER>', 'how many, all parsers together', wholeNumber(1, 2 ** 31 - 1), INPUTS)
  .option(
    '--seed <NUMBER>',
    'to repeat a run: as printed by it',
    wholeNumber(1, 2 ** 31 - 1),
    randomInt(1, 2 ** 31),
  )
  .option('--only <TEXT>', 'only parsers with this in their name', '')
  .action(run);

async function run({ inputs, seed, only }: Options): Promise<void> {
  process.stderr.write(`seed ${seed}\n`);
  const all = await allTargets();
  const targets = all.filter(({ name }) => name.includes(only));
  const runs = shares(targets, inputs, LEAST);
  const total = runs.reduce((sum, count) => sum + count, 0);
  const bar = new SingleBar(
    { format: '{bar} {value}/{total}  {name}', stream: process.stderr, noTTYOutput: false },
    Presets.shades_classic,
  );
  bar.start(total, 0, { name: '' });
  const isDue = every(LINE_MILLISECONDS);
  const findings: Finding[] = [];
  for (const [i, target] of targets.entries()) {
    bar.update({ name: target.name });
    const before = runs.slice(0, i).reduce((sum, count) => sum + count, 0);
    let tried = 0;
    const onRun = () => {
      tried += 1;
      // Shrinking tries more inputs than were planned.
      const done = before + Math.min(tried, runs[i]!);
      if (process.stderr.isTTY) bar.update(done);
      else if (isDue()) process.stderr.write(`${done} of ${total} inputs, now for ${target.name}\n`);
    };
    const finding = await fuzz(target, { runs: runs[i]!, seed, onRun });
    if (finding !== undefined) findings.push(finding);
  }
  bar.stop();
  for (const { close } of all) await close?.();
  const told = findings.map(({ target, input, fault }) => `\n${target} failed on\n  ${input}\n${fault}`);
  printResult(program, {
    json: { seed, inputs: total, findings },
    text: [`${total} inputs, ${findings.length} parsers failed, seed ${seed}`, ...told].join('\n'),
  });
  if (findings.length > 0) throw new CodedError(FAILURE.ERR_FUZZ, `${findings.length} parsers failed`);
}

await runCommand(program, process.argv);
