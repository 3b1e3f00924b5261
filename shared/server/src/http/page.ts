/**
 * A page that a service hands out: the files of one folder, and nothing else, under a content security policy
 * of its own.
 */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { ENCODINGS, type Encoding, readCopies } from '@eigenveil/command/compressed';
import { readSummed, SUMS, sumsOf } from '@eigenveil/command/sums';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { drain } from './body.ts';
import { contextOf } from './context.ts';
import { type Route, serve } from './routes.ts';

export interface PageOptions {
  /** The path at which the page is handed out, such as /console. */
  readonly path: string;
  /**
   * The folder of the files. SHA256SUMS there names all others with their digests, in the format of
   * sha256sum. Compressed copies may lie beside them, which are sent as they are: nothing is compressed here.
   */
  readonly folder: string;
  readonly contentSecurityPolicy: string;
  /** Says what to do where there is no page. */
  readonly remedy: string;
}

interface File {
  readonly type: string;
  readonly bytes: Buffer;
  readonly copies: ReadonlyMap<Encoding, Buffer>;
  readonly etag: string;
}

const INDEX = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '': 'text/plain; charset=utf-8',
};

/**
 * Returns the routes of a page. All files are read together at the first request, and kept: a name in a
 * request is looked up among them and never becomes a path, and a page that is built again beside a running
 * service is not mixed with the former one.
 */
export function pageRoutes(options: PageOptions): Route[] {
  const { path, contentSecurityPolicy } = options;
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  async function fileOf(name: string): Promise<File> {
    files ??= readFiles(options).catch((error: unknown) => {
      files = undefined; // it may be built meanwhile
      throw error;
    });
    const file = (await files).get(name);
    if (file === undefined) throw new CodedError(CODES.ERR_ROUTE_UNKNOWN, 'the page has no such file');
    return file;
  }
  async function answer(request: Request, response: Response, name: string): Promise<void> {
    drain(request);
    const { type, bytes, copies, etag } = await fileOf(name);
    response.setHeader('content-security-policy', contentSecurityPolicy);
    response.setHeader('cache-control', 'no-cache'); // kept, and asked about each time
    response.setHeader('etag', etag);
    response.setHeader('vary', 'Accept-Encoding');
    if (request.headers['if-none-match']?.split(/,\s*/).includes(etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    // Each encoding is checked by itself: among several, the one that the browser names first would win, and
    // no browser names brotli first.
    const encoding = ENCODINGS.find((it) => copies.has(it) && request.acceptsEncodings(it) === it);
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    const body = encoding === undefined ? bytes : copies.get(encoding)!;
    response.setHeader('content-type', type);
    response.setHeader('content-length', body.length);
    response.end(body);
  }
  const description = {
    method: 'get',
    auth: 'none',
    authenticators: {},
    response: { status: 200, description: 'A file of the page', mediaType: '*/*' },
    problems: ['ERR_ROUTE_UNKNOWN'],
  } as const satisfies Partial<Route>;
  const place = {
    method: 'get',
    path,
    summary: 'Where the page is',
    auth: 'none',
    response: { status: 308, description: 'There', location: `${path}/` },
    problems: [],
  } as const;
  return [
    ...serve({ place }, {}, { place: () => undefined }),
    {
      ...description,
      name: 'page',
      path: `${path}/`,
      summary: 'The page',
      handle(request, response) {
        contextOf(response).route = `${path}/`;
        return answer(request, response, INDEX);
      },
    },
    {
      ...description,
      name: 'file',
      path: `${path}/:file`,
      summary: 'What the page consists of',
      params: z.strictObject({ file: z.string() }),
      handle(request, response) {
        contextOf(response).route = `${path}/:file`;
        return answer(request, response, String(request.params.file));
      },
    },
  ];
}

async function readFiles({ folder, remedy }: PageOptions): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>();
  try {
    const summed = await readSummed(folder);
    if (!summed.has(INDEX)) throw new Error(`"${SUMS}" expected ${INDEX}`);
    for (const [name, bytes] of summed)
      files.set(name, fileWith(name, bytes, await readCopies(folder, name, bytes)));
    files.set(SUMS, fileWith(SUMS, Buffer.from(sumsOf(summed)), new Map()));
  } catch (cause) {
    throw new CodedError(CODES.ERR_ROUTE_UNKNOWN, `the page is not there, or not whole: ${remedy}`, {
      cause,
    });
  }
  return files;
}

function fileWith(name: string, bytes: Buffer, copies: File['copies']): File {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url')}"`; // weak: the same of its copies
  return { type, bytes, copies, etag };
}
