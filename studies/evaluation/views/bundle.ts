/**
 * A view as a file: JSON lines and blobs, sealed with AES-256-GCM under a key that lies in a file of its own beside it (mode 0600).
 * docs/evaluation-views.md has the format.
 */
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { loadOrCreateKeyRing, Sealer } from '@eigenveil/server';
import { z } from 'zod';
import { EVALUATION_CODES } from '../codes.ts';
import type { Named, Party, View } from './view.ts';

const VERSION = 1;
/** The bytes of a sealed frame's content. */
const FRAME_BYTES = 16 * 1024 * 1024;
const LENGTH_BYTES = 4;
const NEWLINE = 10;

const PartySchema = z.custom<Party>(
  (it) => typeof it === 'string' && /^(CSP|data user|owner [1-9]\d*|operator|network)$/.test(it),
);

/** The one line in clear; its members are bound to every frame. */
const Header = z.strictObject({
  format: z.literal('eigenveil-view'),
  version: z.literal(VERSION),
  recording: z.uuid(),
  party: PartySchema,
});
type Header = z.infer<typeof Header>;

const At = z.number().min(0);
const Size = z.int().min(0);
/** The place of bytes: where they begin among the blobs, and how many they are. */
const Place = z.tuple([Size, Size]);
const NamedLine = <Kind extends string>(kind: Kind) =>
  z.strictObject({ kind: z.literal(kind), name: z.string(), bytes: Place });
const Line = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('view'), taskId: z.string(), lines: Size, blobBytes: Size }),
  NamedLine('input'),
  NamedLine('output'),
  NamedLine('key'),
  z.strictObject({ kind: z.literal('draw'), at: At, thread: Size, source: z.string(), bytes: Place }),
  z.strictObject({
    kind: z.literal('message'),
    form: z.enum(['request', 'answer', 'frame']),
    at: At,
    from: PartySchema,
    name: z.string(),
    bytes: Place,
  }),
  z.strictObject({
    kind: z.literal('opened'),
    name: z.string(),
    values: z.array(z.string().regex(/^-?\d+$/)),
  }),
  z.strictObject({ kind: z.literal('file'), at: At, name: z.string(), bytes: Place }),
  z.strictObject({
    kind: z.literal('passage'),
    at: At,
    connection: z.int().min(1),
    from: PartySchema,
    to: PartySchema,
    type: z.int().min(0).max(255),
    size: Size,
  }),
]);
type Line = z.infer<typeof Line>;

/** Returns the file in which the bundles of a folder have their key. */
export function keyFileOf(bundle: string): string {
  return join(dirname(bundle), 'views.key');
}

/** Such as `owner-2.view`. */
function bundleName(party: Party): string {
  return `${party.toLowerCase().replace(' ', '-')}.view`;
}

async function writeBundle(view: View, folder: string): Promise<string> {
  const path = join(folder, bundleName(view.party));
  const sealer = new Sealer(...(await loadOrCreateKeyRing(keyFileOf(path))));
  const header: Header = {
    format: 'eigenveil-view',
    version: VERSION,
    recording: view.recording,
    party: view.party,
  };
  const { lines, blobs } = asLines(view);
  const frames: Buffer[] = [Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))];
  for (let from = 0; from < blobs.length; from += FRAME_BYTES)
    frames.push(blobs.subarray(from, from + FRAME_BYTES));
  const sealed = frames.map((frame, i) => {
    const bytes = sealer.seal(placeOf(header, i, frames.length), frame);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  await writeFile(path, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...sealed]), {
    mode: 0o600,
  });
  return path;
}

/**
 * Writes the views of one recording into a folder of its own, which it makes (mode 0700); returns the files' paths.
 * @throws ERR_KEY_FILE
 */
export async function writeBundles(views: readonly View[], folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const paths: string[] = [];
  for (const view of views) paths.push(await writeBundle(view, folder));
  return paths;
}

/**
 * @throws ERR_VIEW_FORMAT, ERR_VIEW_BROKEN, ERR_KEY_FILE
 */
export async function readBundle(path: string): Promise<View> {
  const bytes = await readFile(path);
  const header = headerOf(path, bytes);
  const keyFile = keyFileOf(path);
  await access(keyFile).catch((cause: unknown) => {
    throw new CodedError(
      EVALUATION_CODES.ERR_VIEW_BROKEN,
      `"${keyFile}" expected the key of the bundle: put it there`,
      {
        cause,
      },
    );
  });
  const sealer = new Sealer(...(await loadOrCreateKeyRing(keyFile)));
  const frames = framesOf(path, bytes);
  const [first, ...rest] = frames.map((frame, i) => {
    try {
      return sealer.open(placeOf(header, i, frames.length), frame);
    } catch (cause) {
      throw broken(path, cause);
    }
  });
  if (first === undefined) throw broken(path);
  return asView(path, header, Buffer.from(first).toString(), Buffer.concat(rest));
}

/** The text that a frame is bound to: whose it is, its number, and how many there are, so that none can be left out. */
function placeOf({ format, version, recording, party }: Header, frame: number, frames: number): string {
  return `${format}/${version}/${recording}/${party}/${frame + 1}/${frames}`;
}

function headerOf(path: string, bytes: Buffer): Header {
  try {
    return Header.parse(JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(NEWLINE))));
  } catch (cause) {
    throw new CodedError(
      EVALUATION_CODES.ERR_VIEW_FORMAT,
      `"${path}" expected a bundle of views, version ${VERSION}`,
      {
        cause,
      },
    );
  }
}

function framesOf(path: string, bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let start = bytes.indexOf(NEWLINE) + 1; start < bytes.length; ) {
    const from = start + LENGTH_BYTES;
    const to = from <= bytes.length ? from + bytes.readUInt32BE(start) : Number.POSITIVE_INFINITY;
    if (to > bytes.length) throw broken(path);
    frames.push(bytes.subarray(from, to));
    start = to;
  }
  return frames;
}

function asLines(view: View): { lines: Line[]; blobs: Buffer } {
  const blobs: Buffer[] = [];
  let size = 0;
  const place = (bytes: Buffer): [number, number] => {
    const from = size;
    blobs.push(bytes);
    size += bytes.length;
    return [from, bytes.length];
  };
  const named = (kind: 'input' | 'output' | 'key', items: readonly Named[]) =>
    items.map(({ name, bytes }) => ({ kind, name, bytes: place(bytes) }));
  const lines: Line[] = [
    ...named('input', view.inputs),
    ...named('output', view.outputs),
    ...named('key', view.keys),
    ...view.random.map((it) => ({ kind: 'draw' as const, ...it, bytes: place(it.bytes) })),
    ...view.received.map(({ kind: form, ...it }) => ({
      kind: 'message' as const,
      form,
      ...it,
      bytes: place(it.bytes),
    })),
    ...view.opened.map(({ name, values }) => ({ kind: 'opened' as const, name, values: values.map(String) })),
    ...view.files.map((it) => ({ kind: 'file' as const, ...it, bytes: place(it.bytes) })),
    ...view.passages.map((it) => ({ kind: 'passage' as const, ...it })),
  ];
  const first = { kind: 'view' as const, taskId: view.taskId, lines: lines.length, blobBytes: size };
  return { lines: [first, ...lines], blobs: Buffer.concat(blobs) };
}

function asView(path: string, { recording, party }: Header, text: string, blobs: Buffer): View {
  const [first, ...lines] = text.split('\n').map((line) => parsed(path, line));
  if (first?.kind !== 'view' || first.lines !== lines.length || first.blobBytes !== blobs.length) {
    throw malformed(path);
  }
  const at = ([from, length]: readonly [number, number]) => {
    if (from + length > blobs.length) throw malformed(path);
    return blobs.subarray(from, from + length);
  };
  const of = <Kind extends Line['kind']>(kind: Kind) =>
    lines.filter((line): line is Extract<Line, { kind: Kind }> => line.kind === kind);
  const named = (kind: 'input' | 'output' | 'key') =>
    of(kind).map(({ name, bytes }) => ({ name, bytes: at(bytes) }));
  return {
    recording,
    party,
    taskId: first.taskId,
    inputs: named('input'),
    outputs: named('output'),
    keys: named('key'),
    random: of('draw').map(({ kind: _, ...it }) => ({ ...it, bytes: at(it.bytes) })),
    received: of('message').map(({ kind: _, form, ...it }) => ({ ...it, kind: form, bytes: at(it.bytes) })),
    opened: of('opened').map(({ name, values }) => ({ name, values: values.map(BigInt) })),
    files: of('file').map(({ kind: _, ...it }) => ({ ...it, bytes: at(it.bytes) })),
    passages: of('passage').map(({ kind: _, ...it }) => it),
  };
}

function parsed(path: string, line: string): Line {
  try {
    return Line.parse(JSON.parse(line));
  } catch (cause) {
    throw malformed(path, cause);
  }
}

function malformed(path: string, cause?: unknown): CodedError {
  const message = `"${path}" expected the lines of a view: record the task again`;
  return new CodedError(EVALUATION_CODES.ERR_VIEW_FORMAT, message, { cause });
}

function broken(path: string, cause?: unknown): CodedError {
  const message = `"${path}" was changed or cut off, or its key is another one: record the task again`;
  return new CodedError(EVALUATION_CODES.ERR_VIEW_BROKEN, message, { cause });
}
