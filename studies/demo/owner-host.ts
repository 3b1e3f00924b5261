/** The organisation of the data owners, which hosts their page: static files over HTTPS, from an origin of its own. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { extname, join } from 'node:path';
import { ENCODINGS, SUFFIXES } from '@eigenveil/command/compressed';
import { Children } from '@eigenveil/testbed/processes/programs';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '': 'text/plain; charset=utf-8',
};

/** The headers that a host adds, since an HTML file cannot say them of itself. */
const HEADERS = {
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  vary: 'Accept-Encoding',
};

export class OwnerHost {
  /** The address of the page. */
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /**
   * Has the command write the page that may reach the services at these addresses, and hands out what it has written.
   * @param folder to write to, which is not there yet
   */
  static async start(
    folder: string,
    port: number,
    tls: { readonly cert: string; readonly key: string },
    services: { readonly csp: string; readonly dataUser: string },
  ): Promise<OwnerHost> {
    const places = ['--csp', services.csp, '--data-user', services.dataUser];
    const { exitCode, stdout, stderr } = await new Children().run('owner', [
      ...['--json', 'page', '--out', folder],
      ...places,
    ]);
    if (exitCode !== 0) throw new Error(stderr);
    const { files }: { files: string[] } = JSON.parse(stdout);
    const server = createServer(tls, (request, response) => {
      const { pathname } = new URL(request.url!, 'https://host');
      const name = pathname === '/' ? 'index.html' : pathname.slice(1);
      if (!files.includes(name)) {
        response.writeHead(404).end();
        return;
      }
      const accepted = (request.headers['accept-encoding'] ?? '').split(/[,;\s]+/);
      const encoding = ENCODINGS.find((it) => accepted.includes(it) && files.includes(name + SUFFIXES[it]));
      const headers = {
        ...HEADERS,
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      };
      readFile(join(folder, encoding === undefined ? name : name + SUFFIXES[encoding])).then(
        (body) => response.writeHead(200, headers).end(body),
        (error: Error) => response.destroy(error),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return new OwnerHost(`https://127.0.0.1:${port}/`, close);
  }

  close(): Promise<void> {
    return this.#close();
  }
}
