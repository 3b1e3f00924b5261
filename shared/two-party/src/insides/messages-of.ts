/** Reads what an end has sent. */

export interface Message {
  readonly type: number;
  readonly payload: Uint8Array;
}

/** The messages of a stream: type, length, payload. */
export function messagesOf(frames: readonly Uint8Array[]): Message[] {
  const bytes = Buffer.concat(frames);
  const messages: Message[] = [];
  for (let from = 0; from < bytes.length; ) {
    const length = bytes.readUInt32LE(from + 4);
    messages.push({ type: bytes.readUInt32LE(from), payload: bytes.subarray(from + 8, from + 8 + length) });
    from += 8 + length;
  }
  return messages;
}
