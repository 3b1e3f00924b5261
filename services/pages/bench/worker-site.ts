/** The worker of the owner's page in a browser, under the policy of that page; the browser itself answers for the host. */
import type { BrowserContext, JSHandle, Page } from 'playwright-core';
import { bundled, integrity, pageHtml } from '../build/build.ts';
import type { OwnerWorker } from '../src/owner/worker-client.ts';

const ORIGIN = 'https://owner.test';

export interface WorkerPage {
  readonly page: Page;
  readonly worker: JSHandle<OwnerWorker>;
}

/** @param files more that the host has, by path: `/rows.csv` */
export async function openWorkerPage(
  context: BrowserContext,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<WorkerPage> {
  const script = await bundled('owner/worker.ts');
  const define = { WORKER_INTEGRITY: JSON.stringify(integrity(script)) };
  const main = await bundled('../bench/worker-page.ts', define);
  const digests = { script: integrity(main), style: integrity('') };
  const host: Readonly<Record<string, string | Buffer>> = {
    ...files,
    '/': pageHtml('owner', digests),
    '/main.js': Buffer.from(main),
    '/main.css': '',
    '/worker.js': Buffer.from(script),
  };
  await context.route(`${ORIGIN}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    const body = host[pathname];
    if (body === undefined) return route.fulfill({ status: 404 });
    const contentType = { '.js': 'text/javascript', '.css': 'text/css' }[/\.\w+$/.exec(pathname)?.[0] ?? ''];
    return route.fulfill({ body, contentType: contentType ?? 'text/html; charset=utf-8' });
  });
  const page = await context.newPage();
  await page.goto(ORIGIN);
  return { page, worker: await page.evaluateHandle(() => globalThis.ownerWorker) };
}
