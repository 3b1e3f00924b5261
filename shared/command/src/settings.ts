/** Configuration of a command by flags, environment and a JSON file, in that order of precedence. */
import { readFileSync } from 'node:fs';
import { CodedError, type Fault, faulty, fileReason, hyphenated } from '@eigenveil/platform';
import { explainIssues } from '@eigenveil/wire/explain';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { COMMAND_CODES } from './codes.ts';
import { jsonOf, textIn, withoutComments } from './json.ts';

/**
 * One setting. Its name in the file is the member's name in camelCase; its flag and variable follow from that
 * name.
 */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /**
   * The schema of the value: z.string(), z.int(), z.boolean(), z.array(…); .optional() when there need not be
   * one.
   */
  readonly schema: Schema;
  /** The description, one line for --help. */
  readonly description: string;
  readonly default?: z.input<Schema>;
  /** The name of the value in --help: `FILE`, `NUMBER`. Left out for switches. */
  readonly placeholder?: string;
}

export type Settings = Readonly<Record<string, Setting>>;
export type Configuration<S extends Settings> = { readonly [Name in keyof S]: z.output<S[Name]['schema']> };

/** The setting of programs that send traces, where a collector is configured. */
export const TRACE_ENDPOINT = {
  schema: z
    .url()
    .regex(
      /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/,
      'expected https, or http to this machine',
    )
    .optional(),
  description: 'address of a collector for traces, OTLP over HTTP: https, or http on this machine',
  placeholder: 'URL',
} as const;

/** The settings that each command has: one file of settings serves all commands of a program. */
const settingsOf = new WeakMap<Command, Settings>();

type Source = 'flag' | 'environment' | 'file' | 'default' | 'none';

/**
 * Adds the settings to a command as options: `port` becomes --port, and <PREFIX>_PORT in the environment; a switch also
 * has --no-name. --config FILE (<PREFIX>_CONFIG) names a JSON file of settings, which may have comments.
 * Returns a function that gives the checked configuration once the command line has been parsed, and throws ERR_CONFIGURATION for unknown names in the file and
 * for values that their schema refuses. One file serves all commands of a program: what only the others know is passed over.
 * Text from flags and environment counts as a string where the schema takes one, otherwise as JSON (numbers, true, false, lists).
 * A list of strings may also stand with commas between; a string that holds a comma takes JSON. The flag of a list may be given several times.
 * Relative paths are relative to the working directory, wherever they are written.
 * @example
 * import { addSettings, createProgram } from '@eigenveil/command';
 * import { z } from 'zod';
 *
 * const program = createProgram({ name: 'greet', version: '1.0.0', description: 'Greets.' });
 * const settings = addSettings(program, 'GREET', {
 *   port: { schema: z.int(), description: 'where to listen', default: 8443, placeholder: 'NUMBER' },
 * });
 * program.action(() => console.log(settings().port)); // of --port, GREET_PORT or the file
 */
export function addSettings<const S extends Settings>(
  command: Command,
  prefix: string,
  settings: S,
): () => Configuration<S> {
  command.addOption(new Option('--config <FILE>', 'JSON file with settings').env(`${prefix}_CONFIG`));
  settingsOf.set(command, settings);
  for (const [name, setting] of Object.entries(settings)) addOptions(command, prefix, name, setting);
  return () => {
    const path: unknown = command.getOptionValue('config');
    const file = typeof path === 'string' ? readFile(path, namesKnownBeside(command)) : {};
    const configuration: Record<string, unknown> = {};
    const faults: Fault[] = [];
    for (const [name, setting] of Object.entries(settings)) {
      const value = settingValue(command, prefix, name, setting, file);
      if ('fault' in value) faults.push({ path: [name], words: value.fault });
      else configuration[name] = value.data;
    }
    if (faults.length > 0) throw faulty(COMMAND_CODES.ERR_CONFIGURATION, faults);
    return configuration as Configuration<S>;
  };
}

function addOptions(command: Command, prefix: string, name: string, setting: Setting): void {
  const flag = hyphenated(name);
  const option =
    setting.placeholder === undefined
      ? new Option(`--${flag}`, setting.description)
      : new Option(`--${flag} <${setting.placeholder}>`, setting.description);
  if (setting.default !== undefined) option.default(setting.default);
  if (isList(setting.schema))
    option.argParser((text, before) => new Given([...(before instanceof Given ? before.texts : []), text]));
  command.addOption(option.env(variableFor(prefix, name)));
  // This flag can overrule a switch that a file or a variable sets.
  if (setting.placeholder === undefined) command.addOption(new Option(`--no-${flag}`).hideHelp());
}

/** The texts of a flag that may be given several times. */
class Given {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }
}

function isList(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional) return isList(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => isList(option as z.ZodType));
  return schema instanceof z.ZodArray;
}

function settingValue(
  command: Command,
  prefix: string,
  name: string,
  setting: Setting,
  file: Record<string, unknown>,
): { readonly data: unknown } | { readonly fault: string } {
  const [source, given] = lookUp(command, prefix, name, setting, file);
  const value =
    source === 'flag' || source === 'environment'
      ? fromTexts(setting.schema, given instanceof Given ? given.texts : [String(given)])
      : (firstAccepted(setting.schema, [given, [given]]) ?? given);
  const result = setting.schema.safeParse(value);
  if (result.success) return { data: result.data };
  const places: Record<Source, string> = {
    flag: `--${hyphenated(name)}`,
    environment: variableFor(prefix, name),
    file: `${name} in the configuration file`,
    default: name,
    none: name,
  };
  return {
    fault:
      source === 'none'
        ? `"${name}" is missing: give --${hyphenated(name)}, ${variableFor(prefix, name)} or "${name}" in the configuration file`
        : explainIssues(result.error, places[source]),
  };
}

function lookUp(
  command: Command,
  prefix: string,
  name: string,
  setting: Setting,
  file: Record<string, unknown>,
): [Source, unknown] {
  if (command.getOptionValueSource(name) === 'cli') return ['flag', command.getOptionValue(name)];
  // The variable is read here and not by commander, which takes a switch as set whatever its variable says,
  // even "false".
  const variable = process.env[variableFor(prefix, name)];
  if (variable !== undefined) return ['environment', variable];
  if (Object.hasOwn(file, name)) return ['file', file[name]];
  return setting.default === undefined ? ['none', undefined] : ['default', setting.default];
}

function fromTexts(schema: z.ZodType, texts: readonly string[]): unknown {
  const values = texts.map((text) => fromText(schema, text));
  return values.length === 1 ? values[0] : values.flat();
}

function fromText(schema: z.ZodType, text: string): unknown {
  const json = parseJson(text);
  const readings = [text, json, text.split(',')];
  // If no reading is accepted, the error is about the one that has the right type: about an item, and not that
  // no list was given.
  return firstAccepted(schema, readings) ?? readings.find((reading) => isOfType(schema, reading)) ?? json;
}

function isOfType(schema: z.ZodType, reading: unknown): boolean {
  const issues = schema.safeParse(reading).error?.issues ?? [];
  return issues.every(({ code, path }) => code !== 'invalid_type' || path.length > 0);
}

/**
 * Returns the first reading that is accepted: a list need not be written as JSON, so several readings are
 * tried.
 */
function firstAccepted(schema: z.ZodType, readings: readonly unknown[]): unknown {
  return readings.find((reading) => schema.safeParse(reading).success);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readFile(path: string, known: ReadonlySet<string>): Record<string, unknown> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const reason = fileReason(cause);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--config" expected a readable file, got ${path} (${reason})`,
      { cause },
    );
  }
  const text = textIn(bytes, `"--config" expected text in ${path}`);
  const json = jsonOf('--config', path, withoutComments(text));
  const members = z.record(z.string(), z.unknown()).safeParse(json);
  if (!members.success)
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `"${path}" expected a JSON object`);
  const unknown = Object.keys(members.data).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${path}" has unknown settings: ${unknown.join(', ')}; known are ${[...known].join(', ')}`,
    );
  }
  return members.data;
}

/** Returns the settings of all commands of the program, the command's own first. */
function namesKnownBeside(command: Command): ReadonlySet<string> {
  let program = command;
  while (program.parent !== null) program = program.parent;
  const namesBelow = (it: Command): string[] => [
    ...Object.keys(settingsOf.get(it) ?? {}),
    ...it.commands.flatMap(namesBelow),
  ];
  return new Set([...Object.keys(settingsOf.get(command) ?? {}), ...namesBelow(program)]);
}

function variableFor(prefix: string, name: string): string {
  return `${prefix}_${hyphenated(name).replaceAll('-', '_').toUpperCase()}`;
}
