/**
 * The steps of a container file in a plain directory tree, as a user without rights: what a build would do, where no daemon builds images. Paths of the image
 * lie below the folder of their stage; images that a stage begins from are this machine's own programs, and owners of files are the user's.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';

const run = promisify(execFile);

/** An instruction with its words, flags and list of JSON, if it has that form. */
export interface Step {
  readonly keyword: string;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** The whole text behind the keyword and its flags. */
  readonly text: string;
}

/** Of every stage; each begins with its FROM. */
export function stagesOf(content: string): Step[][] {
  const stages: Step[][] = [];
  for (const instruction of DockerfileParser.parse(content).getInstructions()) {
    const step = stepOf(instruction);
    if (step.keyword === 'FROM') stages.push([]);
    stages.at(-1)!.push(step);
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  const flags =
    'getFlags' in instruction
      ? (instruction.getFlags as () => { getName(): string; getValue(): string | null }[])()
      : [];
  return {
    keyword: instruction.getKeyword(),
    words: instruction.getArguments().map((argument) => argument.getValue()),
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    text: instruction.getArgumentsContent() ?? '',
  };
}

/** What the last stage would start, and with which variables. */
export interface Image {
  /** Where the root of the image lies. */
  readonly root: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

interface Builder {
  /** The checkout's root, which the file is built in. */
  readonly context: string;
  /** A folder of the user's own. */
  readonly folder: string;
  /** Who does the steps. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Of the steps. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Does all steps of a container file. */
export async function build(content: string, builder: Builder): Promise<Image> {
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [number, stage] of stagesOf(content).entries()) {
    const root = join(builder.folder, `stage-${number}`);
    await mkdir(root);
    const name = /\bAS (\S+)$/i.exec(stage[0]!.text)?.[1];
    if (name !== undefined) roots.set(name, root);
    image = await buildStage(stage, root, roots, builder);
  }
  return image!;
}

async function buildStage(
  stage: readonly Step[],
  root: string,
  roots: ReadonlyMap<string, string>,
  builder: Builder,
): Promise<Image> {
  let directory = '/';
  const environment: Record<string, string> = {};
  let entrypoint: readonly string[] = [];
  let command: readonly string[] = [];
  let isGiven = false;
  for (const { keyword, words, flags, text } of stage) {
    if (keyword === 'WORKDIR') {
      directory = resolve(directory, words[0]!);
      await mkdir(join(root, directory), { recursive: true });
    } else if (keyword === 'ENV') {
      for (const word of words)
        environment[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
    } else if (keyword === 'COPY') {
      const to = join(root, resolve(directory, words.at(-1)!));
      await mkdir(dirname(to), { recursive: true });
      for (const word of words.slice(0, -1)) {
        if (flags.from === undefined) await copyContext(builder, word, to);
        else await rename(join(roots.get(flags.from)!, word), to); // nobody asks an earlier stage twice
      }
      if (flags.chown !== undefined) await giveTo(builder.user, to);
    } else if (keyword === 'RUN') {
      if (!isGiven) await giveTo(builder.user, root); // who builds an image may do all in it
      isGiven = true;
      const options = {
        cwd: join(root, directory),
        env: { ...builder.environment, ...environment },
        ...builder.user,
      };
      await run('/bin/sh', ['-euc', text], { ...options, maxBuffer: 1 << 26 });
    } else if (keyword === 'ENTRYPOINT') entrypoint = JSON.parse(text) as string[];
    else if (keyword === 'CMD') command = JSON.parse(text) as string[];
  }
  return { root, directory: join(root, directory), environment, entrypoint, command };
}

async function giveTo({ uid, gid }: Builder['user'], path: string): Promise<void> {
  if (uid !== undefined) await run('chown', ['-R', `${uid}:${gid}`, path]);
}

const copyTree = (from: string, to: string) => cp(from, to, { recursive: true, verbatimSymlinks: true });

/** The files of the checkout that .dockerignore lets through: those of its exceptions, less what it names after them. */
export async function contextFiles(context: string): Promise<string[]> {
  const lines = (await readFile(join(context, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines[0] !== '*') throw new Error('.dockerignore expected to leave out everything at first');
  const taken = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const left = lines.slice(1).filter((line) => !line.startsWith('!'));
  const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: context,
    maxBuffer: 1 << 26,
  });
  const isBelow = (path: string, pattern: string) =>
    path.startsWith(`${pattern}/`) || matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
  return listed.stdout
    .split('\0')
    .filter(
      (path) => path !== '' && taken.some((it) => isBelow(path, it)) && !left.some((it) => isBelow(path, it)),
    );
}

async function copyContext({ context }: Builder, from: string, to: string): Promise<void> {
  const prefix = from === '.' ? '' : from;
  for (const path of await contextFiles(context)) {
    if (path === prefix) await copyTree(join(context, path), to);
    else if (prefix === '' || path.startsWith(`${prefix}/`)) {
      const target = join(to, prefix === '' ? path : path.slice(prefix.length + 1));
      await mkdir(dirname(target), { recursive: true });
      await copyTree(join(context, path), target);
    }
  }
}
