/** A page that has the worker of the owner's page, its check of keys and nothing else, for whoever measures or tries it. */
import { PublicKey } from '@eigenveil/paillier/owner';
import '../src/common/start.ts';
import { OwnerWorker } from '../src/owner/worker-client.ts';

declare global {
  var ownerWorker: Promise<OwnerWorker>;
  var readKey: typeof PublicKey.fromJSONInTurns;
}
globalThis.ownerWorker = OwnerWorker.load();
globalThis.readKey = (json, options) => PublicKey.fromJSONInTurns(json, options);
