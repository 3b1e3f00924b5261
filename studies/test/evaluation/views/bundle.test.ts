/** A bundle holds what was put in, and opens for nobody once a byte of it is another. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOf } from '@eigenveil/platform';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVALUATION_CODES } from '../../../evaluation/codes.ts';
import { keyFileOf, readBundle, writeBundles } from '../../../evaluation/views/bundle.ts';
import { contentsOf, type Party, type View } from '../../../evaluation/views/view.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytes = fc.uint8Array({ maxLength: 300 }).map((it) => Buffer.from(it));
const name = fc.string({ maxLength: 20 });
const at = fc.double({ min: 0, max: 1e9, noNaN: true });
const party = fc.constantFrom<Party>('CSP', 'data user', 'owner 1', 'owner 12', 'operator', 'network');
const named = fc.array(fc.record({ name, bytes }), { maxLength: 3 });
const size = fc.nat();
const views: fc.Arbitrary<View> = fc.record({
  recording: fc.uuid(),
  party,
  taskId: name,
  inputs: named,
  outputs: named,
  keys: named,
  random: fc.array(fc.record({ at, thread: size, source: name, bytes })),
  received: fc.array(
    fc.record({ at, from: party, kind: fc.constantFrom('request', 'answer', 'frame'), name, bytes }),
  ),
  opened: fc.array(fc.record({ name, values: fc.array(fc.bigInt()) })),
  files: fc.array(fc.record({ at, name, bytes })),
  passages: fc.array(
    fc.record({
      at,
      connection: fc.integer({ min: 1 }),
      from: party,
      to: party,
      type: fc.nat(255),
      size,
    }),
  ),
});

async function written(view: View): Promise<string> {
  const [path] = await writeBundles([view], folder);
  return path!;
}

/** The code of the refusal: what would be read is too long for a failed test to show. */
function refusalOf(path: string): Promise<unknown> {
  return readBundle(path).then(
    () => 'it was read',
    (error: unknown) => (isOf(EVALUATION_CODES, error) ? error.code : error),
  );
}

/** With text of every kind, so that no part of it is empty. */
const EXAMPLE: View = {
  recording: '0198c5f0-4d4c-7a56-8c40-6a3f0d1b2c3d',
  party: 'CSP',
  taskId: 'task',
  inputs: [{ name: 'task', bytes: Buffer.from('{}') }],
  outputs: [],
  keys: [{ name: 'signing-key.json', bytes: Buffer.from('a very secret key') }],
  random: [{ at: 1, thread: 0, source: 'randomBytes', bytes: Buffer.from('drawn') }],
  received: [{ at: 2, from: 'data user', kind: 'request', name: 'POST /tasks', bytes: Buffer.from('body') }],
  opened: [{ name: 'shares', values: [-(2n ** 90n), 7n] }],
  files: [{ at: 3, name: 'eigenveil.sqlite', bytes: Buffer.alloc(1000, 5) }],
  passages: [],
};

describe('a bundle', () => {
  test('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(views, async (view) => {
        expect(await readBundle(await written(view))).toEqual(view);
      }),
      { numRuns: 50 },
    );
  });

  test('is read as it was written when its blobs take several frames', { tags: ['long'] }, async () => {
    const bytes = Buffer.alloc(40 * 2 ** 20, 'various bytes');
    const view = await readBundle(await written({ ...EXAMPLE, files: [{ at: 0, name: 'large', bytes }] }));
    expect(view.files[0]!.bytes.equals(bytes)).toBe(true);
  });

  test('shows nothing in clear but its kind, party and recording, and only to its owner', async () => {
    const path = await written(EXAMPLE);
    const file = await readFile(path);
    for (const content of contentsOf(EXAMPLE)) {
      if (content.length > 3) expect(file.includes(content)).toBe(false);
    }
    expect(JSON.parse(file.toString('utf8', 0, file.indexOf('\n')))).toEqual({
      format: 'eigenveil-view',
      version: 1,
      recording: EXAMPLE.recording,
      party: 'CSP',
    });
    for (const secret of [path, keyFileOf(path)]) expect((await stat(secret)).mode & 0o777).toBe(0o600);
  });

  test('is refused when any byte of it is another, or when it is cut off anywhere', async () => {
    const path = await written(EXAMPLE);
    const whole = await readFile(path);
    const refused = expect.stringMatching(/^ERR_VIEW_(BROKEN|FORMAT)$/);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const changed = Buffer.from(whole);
        changed[place]! ^= change;
        await writeFile(path, changed);
        expect(await refusalOf(path)).toEqual(refused);
        await writeFile(path, whole.subarray(0, place));
        expect(await refusalOf(path)).toEqual(refused);
        await writeFile(path, Buffer.concat([whole, whole.subarray(0, place + 1)]));
        expect(await refusalOf(path)).toEqual(refused);
      }),
      { numRuns: 40 },
    );
  });

  test('is refused under the name of another party or recording, and without its last frame', async () => {
    const path = await written(EXAMPLE);
    const whole = await readFile(path);
    const other = whole.toString('latin1', 0, whole.indexOf('\n')).replace('"CSP"', '"data user"');
    const rest = whole.subarray(whole.indexOf('\n'));
    await writeFile(path, Buffer.concat([Buffer.from(other), rest]));
    expect(await refusalOf(path)).toBe('ERR_VIEW_BROKEN');
    const first = whole.indexOf('\n') + 1;
    const end = first + 4 + whole.readUInt32BE(first);
    expect(end).toBeLessThan(whole.length);
    await writeFile(path, whole.subarray(0, end));
    expect(await refusalOf(path)).toBe('ERR_VIEW_BROKEN');
  });

  test('does not open with another key, or without one', async () => {
    const path = await written(EXAMPLE);
    const key = keyFileOf(path);
    const kept = await readFile(key);
    await rm(key);
    expect(await refusalOf(path)).toBe('ERR_VIEW_BROKEN');
    await expect(stat(key)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(key, Buffer.alloc(32, 7).toString('base64url'), { mode: 0o600 });
    expect(await refusalOf(path)).toBe('ERR_VIEW_BROKEN');
    await writeFile(key, kept);
    expect(await readBundle(path)).toEqual(EXAMPLE);
  });

  test('of another version, or no bundle at all, is called so', async () => {
    const path = await written(EXAMPLE);
    const whole = await readFile(path, 'latin1');
    for (const text of [whole.replace('"version":1', '"version":2'), '', 'no bundle', '{}\n']) {
      await writeFile(path, text, 'latin1');
      expect(await refusalOf(path)).toBe('ERR_VIEW_FORMAT');
    }
  });
});
