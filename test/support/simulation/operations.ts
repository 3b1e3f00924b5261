/** What can happen in a simulated run, and how fast-check draws it. */
import * as fc from 'fast-check';
import type { CrashPoint } from '../service-process.ts';

export type ServiceName = 'csp' | 'data user';

/** Which bytes an owner sends: its contribution, or another one of other rows. */
export type Version = 'first' | 'other';

/** One request to the data user, of an owner or of the operator. */
export type Request =
  | { readonly kind: 'contribute'; readonly owner: number; readonly version: Version }
  | { readonly kind: 'withdraw'; readonly owner: number }
  /** The very same HTTP request as an owner's last one, with its used proof. */
  | { readonly kind: 'send again'; readonly request: OwnersRequest }
  | { readonly kind: 'close' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'status' }
  | { readonly kind: 'result' }
  | { readonly kind: 'projection'; readonly owner: number };
export type OwnersRequest = Extract<Request, { readonly kind: 'contribute' | 'withdraw' }>;

/** What befalls a request on its way. */
export type RequestFault =
  | { readonly kind: 'lose request' }
  /** The upload ends half way. */
  | { readonly kind: 'cut request' }
  | { readonly kind: 'lose answer' }
  /** The data user dies next to one of the durable writes that the request causes. */
  | ({ readonly kind: 'crash' } & CrashPoint)
  /** The data user is killed while the request is under way. */
  | { readonly kind: 'kill'; readonly afterMilliseconds: number };

/** Of the messages from the data user to the CSP. */
export type Message = 'proposal' | 'records' | 'unblinding' | 'two-party' | 'countersignature' | 'end';

export type MessageFault =
  | { readonly kind: 'lose request' }
  | { readonly kind: 'lose answer' }
  /** A two-party connection breaks so many bytes into what the CSP sends. */
  | { readonly kind: 'cut'; readonly atByte: number };

/** A service that is down stays so while `downFor` further operations are carried out. */
export type Operation =
  | { readonly kind: 'request'; readonly request: Request; readonly fault: RequestFault | null }
  | { readonly kind: 'at once'; readonly requests: readonly Request[]; readonly killed: number | null }
  | {
      readonly kind: 'disturb';
      readonly message: Message;
      readonly fault: MessageFault;
      readonly times: number;
    }
  | { readonly kind: 'kill'; readonly service: ServiceName; readonly downFor: number }
  /** Dies at a later durable write, of this process or, if it is down, of the next. */
  | { readonly kind: 'crash'; readonly service: ServiceName; readonly point: CrashPoint }
  | { readonly kind: 'advance clock'; readonly hours: number }
  /** For a while, or until the CSP has been sent a message, or a service that is to die is dead. */
  | { readonly kind: 'wait'; readonly until: Message | 'death' };

/** A run from the proposal of a task to its end. */
export interface Scenario {
  readonly twoParty: 'simulated' | 'garbled' | 'rotated';
  readonly minimumOwners: number;
  readonly maximumOwners: number;
  /** What happens while the task is proposed; it is proposed again until it is open. */
  readonly creation: Operation | null;
  readonly operations: readonly Operation[];
}

/** Enough for every answer there is, and for a task that is full. */
export const OWNERS = 4;

const owner = fc.nat({ max: OWNERS - 1 });
const version = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Version>('first') },
  { weight: 1, arbitrary: fc.constant<Version>('other') },
);
const service = fc.constantFrom<ServiceName>('data user', 'csp');
const crashPoint: fc.Arbitrary<CrashPoint> = fc.record({
  when: fc.constantFrom('after commit', 'before commit'),
  // A stage of the computation ends with `advance`, among writes that tell how far it is.
  write: fc.constantFrom(null, null, 'advance'),
  skipped: fc.nat({ max: 5 }),
});

const contribution = fc.record({ kind: fc.constant('contribute' as const), owner, version });
const withdrawal = fc.record({ kind: fc.constant('withdraw' as const), owner });
const ownersRequest: fc.Arbitrary<OwnersRequest> = fc.oneof(
  { weight: 4, arbitrary: contribution },
  { weight: 1, arbitrary: withdrawal },
);
const alone = (kind: 'close' | 'cancel' | 'status' | 'result'): fc.Arbitrary<Request> =>
  fc.constant({ kind });

const requestOf = (weights: { contribute: number; close: number; look: number }): fc.Arbitrary<Request> =>
  fc.oneof(
    { weight: weights.contribute, arbitrary: contribution },
    { weight: 4, arbitrary: withdrawal },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('send again' as const), request: ownersRequest }) },
    { weight: weights.close, arbitrary: alone('close') },
    { weight: 1, arbitrary: alone('cancel') },
    { weight: weights.look, arbitrary: alone('status') },
    { weight: weights.look, arbitrary: alone('result') },
    {
      weight: weights.look,
      arbitrary: fc.record({ kind: fc.constant('projection' as const), owner }),
    },
  );

const requestFault: fc.Arbitrary<RequestFault> = fc.oneof(
  fc.constantFrom<RequestFault>({ kind: 'lose request' }, { kind: 'lose answer' }, { kind: 'cut request' }),
  fc.record({
    kind: fc.constant('crash' as const),
    when: fc.constantFrom<CrashPoint['when']>('after commit', 'before commit'),
    write: fc.constant(null),
    skipped: fc.nat({ max: 1 }),
  }),
  fc.record({ kind: fc.constant('kill' as const), afterMilliseconds: fc.nat({ max: 30 }) }),
);

/** Those whose order decides: the same contribution several times, or several things of few owners. */
const concurrent: fc.Arbitrary<Request[]> = fc.oneof(
  fc
    .tuple(contribution, fc.integer({ min: 2, max: 4 }))
    .map(([same, copies]) => new Array<Request>(copies).fill(same)),
  fc.array(requestOf({ contribute: 20, close: 2, look: 0 }), { minLength: 2, maxLength: 4 }),
);

const disturbance: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('disturb' as const),
  message: fc.constantFrom<Message>('records', 'unblinding', 'two-party', 'countersignature', 'end'),
  fault: fc.oneof(
    fc.constantFrom<MessageFault>({ kind: 'lose request' }, { kind: 'lose answer' }),
    fc.record({ kind: fc.constant('cut' as const), atByte: fc.nat({ max: 200_000 }) }),
  ),
  times: fc.integer({ min: 1, max: 3 }),
});
const killing: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('kill' as const),
  service,
  downFor: fc.nat({ max: 2 }),
});
const crashing: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('crash' as const),
  service,
  point: crashPoint,
});

const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const requesting = (request: fc.Arbitrary<Request>): fc.Arbitrary<Operation> =>
  fc.record({ kind: fc.constant('request' as const), request, fault: sometimes(requestFault) });
const atOnce: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('at once' as const),
  requests: concurrent,
  killed: sometimes(fc.nat({ max: 30 })),
});
const advancing: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('advance clock' as const),
  // Over the deadline, and over the time for which the CSP keeps an abandoned task.
  hours: fc.constantFrom(2, 2, 24 * 32),
});
const waiting: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('wait' as const),
  until: fc.constantFrom<Message | 'death'>(
    'records',
    'unblinding',
    'two-party',
    'countersignature',
    'end',
    'death',
  ),
});

/** While owners contribute. */
const collecting: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 24, arbitrary: requesting(requestOf({ contribute: 40, close: 2, look: 1 })) },
  { weight: 5, arbitrary: atOnce },
  { weight: 3, arbitrary: killing },
  { weight: 3, arbitrary: crashing },
  { weight: 1, arbitrary: advancing },
);

/** While the servers compute. */
const computing: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: requesting(requestOf({ contribute: 8, close: 8, look: 4 })) },
  { weight: 1, arbitrary: atOnce },
  { weight: 5, arbitrary: disturbance },
  { weight: 4, arbitrary: killing },
  { weight: 6, arbitrary: crashing },
  { weight: 1, arbitrary: advancing },
  { weight: 4, arbitrary: waiting },
);

/** Before the end of collection, so that it strikes what comes then. */
const prepared: fc.Arbitrary<Operation> = fc.oneof(disturbance, crashing);

/** Owners that repeat until they have an answer, so that most tasks have enough of them. */
const repeating: fc.Arbitrary<Operation[]> = fc
  .subarray(Array.from({ length: OWNERS }, (_, i) => i))
  .map((owners) => owners.map((owner) => undisturbed({ kind: 'contribute', owner, version: 'first' })));

const closing: fc.Arbitrary<Operation> = requesting(alone('close'));

function undisturbed(request: Request): Operation {
  return { kind: 'request', request, fault: null };
}

/** While a task is proposed. */
const creating: fc.Arbitrary<Operation> = fc.oneof(
  crashing,
  fc.record({
    kind: fc.constant('disturb' as const),
    message: fc.constant<Message>('proposal'),
    fault: fc.constantFrom<MessageFault>({ kind: 'lose request' }, { kind: 'lose answer' }),
    times: fc.constant(1),
  }),
);

/** Runs of about `length` operations at most: half of them while owners contribute. */
export function scenarios(length: number): fc.Arbitrary<Scenario> {
  const some = (arbitrary: fc.Arbitrary<Operation>, maxLength: number) =>
    fc.array(arbitrary, { maxLength, size: 'max' });
  const half = Math.floor(length / 2);
  return fc.record({
    twoParty: fc.constantFrom('garbled', 'simulated', 'rotated'),
    minimumOwners: fc.integer({ min: 2, max: 3 }),
    maximumOwners: fc.integer({ min: 3, max: OWNERS }),
    creation: sometimes(creating),
    operations: fc
      .tuple(some(collecting, half), repeating, some(prepared, 2), some(closing, 1), some(computing, half))
      .map((parts) => parts.flat()),
  });
}
