/**
 * Names what the CSP refuses in any answer, and what ends its task: the first bytes of an answer, and which
 * failures.
 */
import { CodedError } from '@eigenveil/platform';
import type { Program } from '@eigenveil/task';
import { isTellable } from '../channel/abort.ts';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import type { CspInput } from '../protocol.ts';
import { ROTATED_MESSAGE, readRing } from './messages.ts';

/**
 * A failure that may depend on the shares ends the task like an answer, and no run of it follows. They are
 * the same in every attempt, and what the data user sends decides what is asked of them: by trying again it
 * would learn them bit by bit. The number of owners stands in an aggregate that may have been made so that
 * another value overflows into it. Should neither the mark nor the end become durable, the failure is the only
 * one all the same: MessageStream.beforeCheck().
 */
export async function closedByFaults(
  { markAnswered, answer }: Pick<CspInput, 'markAnswered' | 'answer'>,
  run: (mark: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let marked: Promise<void> | undefined;
  const mark = () => {
    marked ??= markAnswered();
    return marked;
  };
  try {
    await run(mark);
  } catch (error) {
    if (!isTellable(error)) {
      await mark().finally(() => answer?.giveUp?.()); // whatever becomes of the mark
    }
    throw error;
  }
}

/**
 * Opens the number of owners, and nothing else before it is right.
 * @throws as `checkOwners`, and the errors of the stream
 */
export async function openOwners(
  stream: MessageStream,
  share: bigint,
  ringBits: number,
  { verifiedOwners }: Pick<CspInput, 'verifiedOwners'>,
  { minimumOwners }: Pick<Program, 'minimumOwners'>,
): Promise<void> {
  const [theirs] = await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
  await stream.beforeCheck();
  checkOwners(BigInt.asUintN(ringBits, share + theirs!), verifiedOwners, minimumOwners);
}

/** A data user that has aggregated what it got knows the number, so that the refusal tells it nothing. */
export function checkOwners(owners: bigint, verified: number, minimum: number): void {
  if (owners !== BigInt(verified)) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_OWNER_COUNT,
      'the encrypted number of owners differs from the verified records',
    );
  }
  if (verified < minimum) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_OWNER_COUNT,
      `expected records of at least ${minimum} owners, got ${verified}`,
    );
  }
}
