/** HTTP/1.1 messages and WebSocket frames in what went through one connection, in one direction. */

interface HttpMessage {
  /** Request line or status line, and headers. */
  readonly head: string;
  readonly body: Buffer;
  /** Where it ends among the bytes. */
  readonly end: number;
}

interface HttpStream {
  readonly messages: readonly HttpMessage[];
  /** Where frames begin when the connection was upgraded to a WebSocket, else undefined. */
  readonly upgradedAt: number | undefined;
}

const HEAD_END = '\r\n\r\n';

/**
 * @throws Error for bytes that are no whole HTTP messages with a declared length
 */
export function readHttp(bytes: Buffer): HttpStream {
  const messages: HttpMessage[] = [];
  let start = 0;
  while (start < bytes.length) {
    const headEnd = bytes.indexOf(HEAD_END, start);
    const head = bytes.toString('latin1', start, headEnd);
    const first = /^(?:[A-Z]+ \S+ HTTP\/1\.1|HTTP\/1\.1 \d{3}[^\r\n]*)(?:\r\n|$)/.exec(head)?.[0].trim();
    if (headEnd < 0 || first === undefined || /^transfer-encoding:/im.test(head)) {
      throw new Error('expected HTTP messages whose length is declared');
    }
    const bodyStart = headEnd + HEAD_END.length;
    const end = bodyStart + Number(/^content-length: *(\d+)\r?$/im.exec(head)?.[1] ?? 0);
    if (end > bytes.length) throw new Error(`${first} expected a whole body`);
    messages.push({ head, body: bytes.subarray(bodyStart, end), end });
    if (/^upgrade: *websocket\r?$/im.test(head)) return { messages, upgradedAt: end };
    start = end;
  }
  return { messages, upgradedAt: undefined };
}

/** Such as `GET /healthz`. */
export function nameOfRequest(head: string): string {
  return head.slice(0, head.indexOf(' HTTP/1.1'));
}

interface Frame {
  readonly payload: Buffer;
  /** Where it ends among the bytes. */
  readonly end: number;
}

/** WebSocket frames from `start` on, unmasked (RFC 6455 section 5.2), control frames included; the last may have been broken off. */
export function readFrames(bytes: Buffer, start = 0): Frame[] {
  const frames: Frame[] = [];
  let offset = start;
  while (offset < bytes.length) {
    const isMasked = (bytes[offset + 1]! & 0x80) !== 0;
    let length = bytes[offset + 1]! & 0x7f;
    offset += 2;
    if (length === 126) {
      length = bytes.readUInt16BE(offset);
      offset += 2;
    } else if (length === 127) {
      length = Number(bytes.readBigUInt64BE(offset));
      offset += 8;
    }
    const mask = bytes.subarray(offset, offset + 4);
    if (isMasked) offset += 4;
    const payload = bytes.subarray(offset, offset + length);
    offset = Math.min(offset + length, bytes.length);
    frames.push({
      payload: isMasked ? Buffer.from(payload.map((byte, i) => byte ^ mask[i % 4]!)) : payload,
      end: offset,
    });
  }
  return frames;
}
