/** A page that has the worker of the owner's page and nothing else, for whoever measures or tries it. */
import '../src/common/start.ts';
import { OwnerWorker } from '../src/owner/worker-client.ts';

declare global {
  var ownerWorker: Promise<OwnerWorker>;
}
globalThis.ownerWorker = OwnerWorker.load();
