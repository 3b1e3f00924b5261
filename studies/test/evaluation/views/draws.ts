/** A program of the test: draws from every source, in the main thread and in a worker, and says what came. */
import crypto, {
  createECDH,
  generateKeyPair,
  generateKeyPairSync,
  generateKeySync,
  generatePrime,
  generatePrimeSync,
  getDiffieHellman,
  getRandomValues,
  type KeyObject,
  randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID,
} from 'node:crypto';
import { promisify } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const hex = (bytes: Uint8Array | ArrayBuffer) => Buffer.from(bytes as Uint8Array).toString('hex');
const text = (value: unknown) => hex(Buffer.from(String(value)));
const der = (key: KeyObject) => hex(key.export({ type: 'pkcs8', format: 'der' }));

async function draw(): Promise<string[]> {
  const drawn: string[] = [];
  drawn.push(hex(randomBytes(16)), hex(await promisify(randomBytes)(3)));
  const words = new Uint16Array(8);
  randomFillSync(words, 2, 3);
  drawn.push(hex(new Uint8Array(words.buffer, 4, 6)));
  const filled = await new Promise<Buffer>((resolve) =>
    randomFill(Buffer.alloc(9), 1, (_, bytes) => resolve(bytes)),
  );
  drawn.push(hex(filled.subarray(1)));
  drawn.push(
    hex(getRandomValues(new Uint8Array(5))),
    hex(crypto.webcrypto.getRandomValues(new Uint8Array(6))),
  );
  drawn.push(text(randomInt(1000)), text(await promisify<number, number>(randomInt)(1000)));
  drawn.push(text(randomUUID()), text(crypto.webcrypto.randomUUID()));
  const pair = await promisify(generateKeyPair)('ed25519');
  drawn.push(der(pair.privateKey), der(generateKeyPairSync('x25519').privateKey));
  drawn.push(hex(generateKeySync('hmac', { length: 128 }).export()));
  const signing = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  if ('privateKey' in signing) drawn.push(hex(await crypto.subtle.exportKey('pkcs8', signing.privateKey)));
  const prime = await new Promise<bigint>((resolve) =>
    generatePrime(64, { bigint: true }, (_, found) => resolve(found)),
  );
  drawn.push(prime.toString(16), hex(generatePrimeSync(64)));
  const [ecdh, dh] = [createECDH('prime256v1'), getDiffieHellman('modp14')];
  ecdh.generateKeys();
  dh.generateKeys();
  drawn.push(hex(ecdh.getPrivateKey()), hex(dh.getPrivateKey()));
  return drawn;
}

if (isMainThread) {
  const main = await draw();
  const worker = new Worker(new URL(import.meta.url));
  worker.once('message', (inWorker) => process.stdout.write(JSON.stringify([main, inWorker])));
} else {
  parentPort!.postMessage(await draw());
}
