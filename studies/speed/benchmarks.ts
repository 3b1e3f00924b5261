/** Benchmarks that are measured one by one, where they are named. */
import type { Study } from '../instrument/study.ts';
import { authenticator } from './authenticator/study.ts';
import { floor } from './floor/study.ts';
import { garbling } from './garbling.ts';
import { histogram } from './histogram/study.ts';
import { load } from './load/study.ts';
import { moments } from './moments.ts';
import { ot } from './ot.ts';
import { ownerMemory } from './owner-memory/study.ts';
import { paillier } from './paillier.ts';
import { protocol } from './protocol.ts';
import { rotated } from './rotated.ts';
import { rounding } from './rounding.ts';
import { sketches } from './sketch/study.ts';
import { timing } from './timing/study.ts';

export const BENCHMARKS: readonly Study[] = [
  ...[protocol, paillier, ot, garbling, rotated, sketches],
  ...[floor, rounding, moments, histogram],
  ...[load, authenticator, ownerMemory, timing],
];
