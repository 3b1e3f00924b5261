/** What runs in Node.js and in browsers: bundled for a browser it asks nothing of Node.js, and gives the same bytes. */
import { fileURLToPath } from 'node:url';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import * as wire from '@eigenveil/wire';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { FOR_BROWSERS } from '../build/build.ts';

/** All entries that browsers may import. */
const PORTABLE = [
  '@eigenveil/data-owner/portable',
  '@eigenveil/data-user/draft',
  '@eigenveil/data-user/result',
  '@eigenveil/paillier/owner',
  '@eigenveil/platform',
  '@eigenveil/privacy',
  '@eigenveil/projection/portable',
  '@eigenveil/protocol/owner',
  '@eigenveil/statistics/owner',
  '@eigenveil/task',
  '@eigenveil/wire',
];

/** What stands in a bundle for each name that only Node.js has: for the name itself alone, not for another's of that name. */
const OF_NODE = Object.fromEntries(
  ['Buffer', 'process', 'setImmediate', 'require', '__dirname', '__filename'].map((name) => [
    name,
    `ofNode_${name}`,
  ]),
);

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    ...FOR_BROWSERS,
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    define: OF_NODE,
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

/** What it asks of Node.js. */
function asked(code: string): string[] {
  const names = code.matchAll(/\bofNode_\w+|["'`]node:[\w/]+/g);
  return [...new Set([...names].map(([name]) => name))];
}

test.each(PORTABLE)('%s asks nothing of Node.js', async (entry) => {
  const code = await bundle(`export * from '${entry}'`);
  expect(code.length).toBeGreaterThan(1000);
  expect(asked(code)).toEqual([]);
});

describe('what would ask something of Node.js', () => {
  test.each([
    ['export const x = () => Buffer.from("x")', ['ofNode_Buffer']],
    ['export const x = () => process.env.X', ['ofNode_process']],
    ['export const x = typeof setImmediate', ['ofNode_setImmediate']],
    ['export const x = (Buffer) => Buffer.from("x")', []],
  ])('is seen in %s', async (code, names) => {
    expect(asked(await bundle(code))).toEqual(names);
  });

  test('cannot be bundled where it is imported', async () => {
    await expect(bundle('export * from "node:crypto"')).rejects.toThrow(/node:crypto/);
  });
});

test('digests, trees and signatures are the same in a browser', async () => {
  const code = await bundle("export * from '@eigenveil/wire'");
  const browser: typeof wire = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const task = madeUpTask('pca', 3);
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i);
  const salt = wire.newSalt();
  const key = await wire.importSigningKey(await browser.generatePrivateJwk());
  const of = ({ digestTask, digestBytes, digestProjection, ContributionTree, OwnerId }: typeof wire) => {
    const tree = new ContributionTree();
    for (let i = 0; i < 300; i += 1)
      tree.add({
        ownerId: OwnerId.parse(String(i).padStart(22, '0')),
        contributionDigest: digestBytes('contribution', bytes.subarray(i)),
      });
    return [digestTask(task), digestBytes('x', bytes, bytes), digestProjection(salt, 'ü'), tree.root()];
  };
  expect(of(browser)).toEqual(of(wire));
  const record = { taskId: task.id, taskDigest: wire.digestTask(task), projectionDigest: salt };
  for (const [one, other] of [
    [wire, browser],
    [browser, wire],
  ] as const) {
    const signed = await one.signStatement(one.COUNTERSIGNATURE, key, record);
    expect(await other.verifyStatement(other.COUNTERSIGNATURE, signed, key.publicJwk)).toEqual(record);
    const request = { method: 'GET', url: 'https://user.example.org/tasks', token: 'ü' };
    const proof = await one.createProof(key, request);
    expect(await other.verifyProof(proof, request)).toMatchObject({ thumbprint: key.thumbprint });
  }
});
