/** The smallest forms of the scripts of package.json: each is run as npm runs it, with more options behind those that the document gives. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeBundles } from '@eigenveil/studies/evaluation/views/bundle';
import type { View } from '@eigenveil/studies/evaluation/views/view';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { expect } from 'vitest';
import type { Form } from './form.ts';
import { ROOT, read } from './list.ts';
import type { DocumentSite } from './site.ts';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };

const DEMO = '--owners 2 --components 2 --key-bits 1024 --out demo';
const IRIS = `--data ${ROOT}data/iris.csv`;
/** What makes a script small, by its name. */
const SMALL: Readonly<Record<string, string>> = {
  'bench:authenticator': '--users 10 --sessions 5 --seconds 1 --out bench-authenticator',
  'bench:browser': '--features 2 --rows 100 --repetitions 1 --out bench-browser',
  'bench:floor': '--quick --out bench-floor',
  'bench:garbling': '--parts circuits --repetitions 1 --out bench-garbling',
  'bench:histogram': '--features 1 --height 2 --owners 2 --rows 10 --out bench-histogram',
  'bench:moments': '--times 1 --out bench-moments',
  'bench:load': '--contributions 4 --features 3 --bits 1024 --connections 2 --out bench-load',
  'bench:ot': '--transfers 1000 --megabytes 1 --repetitions 1 --out bench-ot',
  'bench:owner-memory': '--rows 1000 --features 3 --out bench-owner-memory',
  'bench:paillier': '--bits 1024 --out bench-paillier',
  'bench:protocol': '--features 3 --bits 1024 --out bench-protocol',
  'bench:rotated': '--sets iris --repetitions 1 --rate 100M --delay 20 --out bench-rotated',
  'bench:sketch': '--sets wide1024 --columns 4 --components 2 --two-party simulated --out bench-sketch',
  'bench:rounding': '--quick --out bench-rounding',
  'bench:timing': '--samples 20000 --operations none --out bench-timing',
  bench: '--quick --only transform --out bench',
  'compare:learners': '--quick --only features --out learners',
  'compare:privacy': '--quick --only clipping --out privacy',
  'compare:ranges': '--only strategies --out ranges',
  'demo:authentication': '--users 3 --components 1 --key-bits 1024 --out authentication',
  evaluate: '--quick --only network-unpadded-result --out evaluation',
  faults: '--only quick-taken-for-full',
  'forecast:privacy': '--quick --seeds 1 --out forecast',
  fuzz: '--inputs 50 --only task',
  pack: 'projection --out packed',
  soak: '--runs 1 --length 4',
  'soak:kill': '--cycles 1',
  'study:faces': '--quick --only solver --out faces',
  // Measured through the services it takes minutes, however few faces there are: here its kept figures become a report.
  'study:faces-encrypted': '--render docs/faces-encrypted/report.json --out faces-encrypted',
  'study:recognition': '--quick --only counts --out recognition',
  'study:templates': '--quick --only counts --out templates',
  'test:long': 'test/isolation.test.ts --passWithNoTests',
};

/** What nobody has seen: enough to be opened. */
const VIEW: View = {
  ...{ recording: '00000000-0000-4000-8000-000000000000', party: 'CSP', taskId: 't' },
  ...{ inputs: [], outputs: [], keys: [], random: [], received: [], opened: [], files: [], passages: [] },
};

/** One run serves all documents whose command comes to the same. */
const done = new Map<string, Promise<void>>();

function run(site: DocumentSite, line: string): Promise<void> {
  const running = done.get(line) ?? shell(site, line);
  done.set(line, running);
  return running;
}

async function shell(site: DocumentSite, line: string): Promise<void> {
  const [first, ...words] = tethered('bash', '-c', line);
  const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn(first, words, {
    cwd: ROOT,
    // Only what is bundled, so that it takes the same time everywhere.
    env: { ...process.env, PATH, EIGENVEIL_DATA: site.world.folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  expect({ line, exitCode, said: exitCode === 0 ? '' : `${out}${err}`.slice(-4000) }).toEqual({
    line,
    exitCode: 0,
    said: '',
  });
}

const optionsOf = (text: string): string[] => text.split(/ (?=--)/).filter((option) => option !== '');
const nameOf = (option: string): string => option.split(' ')[0]!;

/** `npm run NAME -- OPTIONS` as npm gives it to a shell, with what makes it small; what it writes goes to the site's folder. */
function script(site: DocumentSite, command: string, small?: string): Promise<void> {
  const [, name, options = ''] = /^(?:[A-Z_]+=\S+ )?npm (?:run )?(\S+)(?: -- (.*))?$/.exec(command)!;
  // Sizes are small whatever the document gives; a choice of suites is the document's, and what asks for all of it is left out.
  const given = optionsOf(options).filter((option) => option !== '--full');
  const smaller = optionsOf(small ?? SMALL[name!] ?? '')
    .filter((option) => !(option.startsWith('--only ') && given.some((one) => one.startsWith('--only '))))
    .map((option) => option.replace(/^--out (\S+)/, `--out ${site.world.folder}/$1`));
  const kept = given.filter(
    (option) => !smaller.some((one) => nameOf(one) === nameOf(option) && one !== option),
  );
  const words = [...new Set([...kept, ...smaller].sort())];
  // What a command is of stands before its options.
  const isOption = (word: string) => word.startsWith('--');
  return run(
    site,
    [scripts[name!], ...words.filter((it) => !isOption(it)), ...words.filter(isOption)].join(' '),
  );
}

const as = (of: RegExp, small?: string): Form => ({
  of,
  run: (site, command) => script(site, command, small),
});

export const SCRIPTS: readonly Form[] = [
  {
    of: /^npx vitest run path\/to\/file$/,
    run: (site) => run(site, 'vitest run test/isolation.test.ts'),
  },
  {
    of: /^npm ci && npm run demo$/,
    run: (site) => script(site, 'npm run demo', `${IRIS} --method pca --two-party simulated ${DEMO}`),
  },
  as(/^npm run demo$/, `${IRIS} --method pca --two-party simulated ${DEMO}`),
  as(/^npm run demo -- --two-party rotated$/, `${IRIS} --method pca ${DEMO}`),
  {
    of: /^npm run demo -- --data FILE --label COLUMN --ignore COLUMNS .+$/,
    run: (site, command) =>
      script(
        site,
        command
          .replace('FILE', `${ROOT}data/iris.csv`)
          .replace('COLUMN ', 'label ')
          .replace('COLUMNS', 'petal_width'),
        `--two-party simulated ${DEMO}`,
      ),
  },
  as(/^npm run demo -- --(?:chain pca,dca|ranges private)$/, `${IRIS} --two-party simulated ${DEMO}`),
  as(/^npm run figures$/, '--check'),
  as(/^npm run study$/, '--list'),
  as(/^npm run study -- --list$/),
  as(/^npm run study -- evaluation$/, '--quick --only network-unpadded-result --out evaluation'),
  as(/^npm run study -- speed$/, '--quick --only transform --out speed'),
  as(/^npm run study -- speed\/waits$/, '--out waits'),
  as(/^npm run study -- speed --render docs\/benchmarks\/report\.json$/, '--out speed'),
  as(/^npm run study -- privacy --quick$/, '--only clipping --out privacy'),
  as(/^npm run study -- privacy\/clipping$/, '--quick --out privacy'),
  {
    of: /^npm run (?:study|compare:learners|compare:ranges) -- .*--data rows\.csv .+$/,
    async run(site, command) {
      await site.write('ranges.json', {
        sepal_length: [0, 10],
        sepal_width: [0, 10],
        petal_length: [0, 10],
        petal_width: [0, 10],
      });
      const { folder } = site.world;
      const given = command
        .replace('rows.csv', `${ROOT}data/iris.csv`)
        .replace('label class', 'label label')
        .replace('ranges.json', `${folder}/ranges.json`);
      await script(site, given, '--quick --out own');
    },
  },
  {
    of: /^npm run compare:ranges -- .*--strategy strategy\.csv$/,
    async run(site, command) {
      await site.write('strategy.csv', '1,0\n0,1\n1,1\n');
      await script(site, command.replace('strategy.csv', `${site.world.folder}/strategy.csv`));
    },
  },
  as(/^npm run bench:rotated -- --rate 100M --delay 20$/),
  as(
    /^npm run bench:load -- .+--sketch 60.+$/,
    '--contributions 4 --features 40 --sketch 6 --bits 1024 --connections 2 --out bench-load',
  ),
  as(/^npm run faults -- --changed$/, '--seconds 1'),
  {
    of: /^npm run study:faces -- --data FILE .+$/,
    async run(site) {
      const columns = ['sepal_length', 'sepal_width', 'petal_length', 'petal_width'];
      const ranges = Object.fromEntries(columns.map((column) => [column, [0, 10]]));
      await site.write('iris-ranges.json', ranges);
      const given = `--data ${ROOT}data/iris.csv --label label --ranges ${site.world.folder}/iris-ranges.json`;
      await script(site, `npm run study:faces -- ${given}`);
    },
  },
  as(/^npm run bench -- --(?:quick|only transform)$/),
  {
    of: /^npm run evaluate -- --task task\.json --data rows\.csv.*$/,
    async run(site, command) {
      await site.rows('people.csv', ['label', 'age_group', 'patient'], 4);
      await site.write('evaluated.json', await site.proposal({ components: 2 }, 4));
      const { folder } = site.world;
      const given = command
        .replace('task.json', `${folder}/evaluated.json`)
        .replace('rows.csv', `${folder}/people.csv`);
      await script(site, given);
    },
  },
  {
    of: /^npm run evaluate -- --views out\/evaluation\/views\/<recording>\/csp\.view$/,
    async run(site) {
      const [view] = await writeBundles([VIEW], await site.folder('views'));
      await script(site, `npm run evaluate -- --views ${view!}`, '');
    },
  },
  as(
    /^npm run evaluate -- --quick --attack examples\/attack\.ts$/,
    '--quick --only own-missing-feature --out attacked',
  ),
  as(/^(?:EIGENVEIL_DATA=… )?npm run (?:compare:\S+|bench:\S+|study:\S+)(?: -- .*)?$/),
  as(/^npm run (?:bench|demo:authentication|evaluate|faults|fuzz|pack|soak|soak:kill|test:long)$/),
  as(/^npm run forecast:privacy$/),
];
