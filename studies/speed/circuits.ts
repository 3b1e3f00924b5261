/** AND gates per second of garbler and evaluator within one process, by circuit and by width. */
import {
  add,
  divide,
  EvaluatorSession,
  GarblerSession,
  type Gates,
  MessageStream,
  memoryChannelPair,
  multiply,
  type Num,
  normalise,
  numberFrom,
  reciprocalSquareRoot,
  rootOf,
  type Session,
  square,
  unsigned,
} from '@eigenveil/two-party/insides';
import { median } from '../instrument/statistics.ts';

export interface Row {
  circuit: string;
  /** Lanes: what one instruction computes at once. */
  width: number;
  gates: number;
  bytes: number;
  garbleSeconds: number;
  evaluateSeconds: number;
  garblePerSecond: number;
  evaluatePerSecond: number;
}

interface Contestant {
  readonly name: string;
  readonly bits: number;
  readonly run: (gates: Gates, a: Num, b: Num) => Num;
}

const BITS = 40;
const PLACES = 24;

/** A chain as long as makes a step worth timing. */
const CHAINED_GATES = 200_000;

const AND: Contestant = {
  name: 'AND',
  bits: 1,
  run: (gates, [a], [b]) => {
    let c = a!;
    const times = Math.max(1, Math.floor(CHAINED_GATES / Math.max(40, c.lanes)));
    for (let i = 0; i < times; i += 1) c = gates.scope(() => gates.and(c, b!));
    return [c];
  },
};

const CIRCUITS: readonly Contestant[] = [
  { name: 'add', bits: BITS, run: add },
  {
    name: 'multiply',
    bits: BITS,
    run: (gates, a, b) => multiply(gates, a, b, { shift: PLACES, bits: BITS }),
  },
  { name: 'square', bits: BITS, run: (gates, a) => square(gates, a, { shift: PLACES, bits: BITS }) },
  { name: 'divide', bits: BITS, run: (gates, a, b) => divide(gates, a, b, { places: PLACES, bits: BITS }) },
  { name: 'square root', bits: BITS, run: (gates, a) => rootOf(gates, unsigned(gates, a)) },
  {
    name: '1 / square root',
    bits: BITS,
    run: (gates, a) =>
      reciprocalSquareRoot(gates, unsigned(gates, a), { places: 8, numerator: 48, bits: BITS }),
  },
  { name: 'normalise', bits: BITS, run: (gates, a) => normalise(gates, unsigned(gates, a)).value },
];

const WIDTHS = [1, 8, 50, 256, 4096];
/** A step holds this number of gates at most; wider circuits are left out. */
const LARGEST_STEP = 2_000_000;

/** Opens a session with transfers as in production, and makes both operands. */
async function prepare<S extends Session>(session: S, width: number, bits: number, garbles: boolean) {
  const count = width * bits;
  const own = new Uint8Array(count).fill(1);
  const a = await session.garblerInput(count, garbles ? own : undefined);
  const b = await session.evaluatorInput(count, garbles ? undefined : own);
  const [x, y] = await session.step((gates) => [numberFrom(gates, a, bits), numberFrom(gates, b, bits)]);
  return { session, x: x!, y: y! };
}

async function measure({ name, bits, run }: Contestant, width: number, repetitions: number): Promise<Row> {
  // One party runs after the other, so the channel must hold all that a step sends.
  const limits = { highWaterBytes: 2 ** 30 };
  const [left, right] = memoryChannelPair(limits);
  const [garbler, evaluator] = await Promise.all([
    GarblerSession.open(new MessageStream(left)).then((session) => prepare(session, width, bits, true)),
    EvaluatorSession.open(new MessageStream(right)).then((session) => prepare(session, width, bits, false)),
  ]);
  const timed = async ({ session, x, y }: { session: Session; x: Num; y: Num }) => {
    const start = performance.now();
    await session.step((gates) => run(gates, x, y));
    return (performance.now() - start) / 1000;
  };
  const garbling: number[] = [];
  const evaluating: number[] = [];
  const before = garbler.session.gates.andGates;
  const sent = left.bytesSent;
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    garbling.push(await timed(garbler));
    evaluating.push(await timed(evaluator));
  }
  const gates = (garbler.session.gates.andGates - before) / (repetitions + 1);
  const bytes = (left.bytesSent - sent) / (repetitions + 1);
  await Promise.all([left.close(), right.close()]);
  const garbleSeconds = median(garbling.slice(1));
  const evaluateSeconds = median(evaluating.slice(1));
  return {
    circuit: name,
    width,
    gates,
    bytes: Math.round(bytes),
    garbleSeconds,
    evaluateSeconds,
    garblePerSecond: gates / garbleSeconds,
    evaluatePerSecond: gates / evaluateSeconds,
  };
}

/** Gates per lane at most, to leave out what does not fit a step. */
const GATES_PER_LANE = 3200;

/** Every circuit at every width that fits a step. */
export async function measureCircuits(repetitions: number, announce: (name: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  for (const contestant of [AND, ...CIRCUITS]) {
    announce(contestant.name);
    for (const width of WIDTHS) {
      if (contestant !== AND && width * GATES_PER_LANE > LARGEST_STEP) continue;
      rows.push(await measure(contestant, width, repetitions));
    }
  }
  return rows;
}

/** AND gates alone, in the widest layers: what garbler and evaluator can do at best. */
export function widest(rows: readonly Row[]): Row | undefined {
  return rows.find(({ circuit, width }) => circuit === AND.name && width === WIDTHS.at(-1));
}
