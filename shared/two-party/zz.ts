import { primesFor, rootsOf } from './src/lattice/primes.ts';
import { Ring } from './src/lattice/ring.ts';
let t = performance.now();
const lap = (s: string) => { const n = performance.now(); console.log(s, (n - t).toFixed(1)); t = performance.now(); };
const p = primesFor(14); lap('primes');
for (let i = 0; i < 13; i++) { rootsOf(16384, p[i]!); if (i < 3) lap('roots'); } lap('other 10');
const r = Ring.of(16384, 13); lap('ring (roots again)');
Ring.of(8192, 7); lap('ring 8192');
Ring.of(16384, 13); lap('ring cached');
