/** What a transcript takes for the same, and what a stream with one keeps back. */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { Transcript } from '../../src/channel/transcript.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

const KEY = randomBytes(32);
type Step = [type: number, payload: readonly number[]];

/** The tags of a run that receives these messages and writes something behind each `undefined`. */
async function tagsOf(steps: readonly (Step | undefined)[], { key = KEY, program = 'a', own = [1] } = {}) {
  const tags: string[] = [];
  const keep = async (position: number, tag: Uint8Array) => {
    tags[position] = Buffer.from(tag).toString('hex');
    return tag;
  };
  const transcript = new Transcript(key, program, { keep });
  for (const step of steps) {
    if (step === undefined) await transcript.bind({ type: 7, payload: Uint8Array.from(own) });
    else transcript.receive(step[0], Uint8Array.from(step[1]));
  }
  return tags;
}

describe('a tag', () => {
  const steps: (Step | undefined)[] = [[1, [1, 2]], [2, [3]], undefined, [1, []], undefined];

  it('is the same for the same messages', async () => {
    expect(await tagsOf(steps)).toEqual(await tagsOf(steps));
    expect(new Set(await tagsOf(steps)).size).toBe(2);
  });

  it.each([
    ['another byte', [[1, [1, 2]], [2, [4]], undefined], {}],
    ['another type', [[1, [1, 2]], [3, [3]], undefined], {}],
    ['another boundary', [[1, [1]], [2, [2, 3]], undefined], {}],
    ['one message for two', [[1, [1, 2, 2, 0, 0, 0, 1, 0, 0, 0, 3]], undefined], {}],
    ['one message less', [[1, [1, 2]], undefined], {}],
    ['another message of its own', steps.slice(0, 3), { own: [2] }],
    ['another program', steps.slice(0, 3), { program: 'b' }],
    ['another key', steps.slice(0, 3), { key: randomBytes(32) }],
  ] as [string, (Step | undefined)[], object][])('is another for %s', async (_, other, options) => {
    expect((await tagsOf(other, options))[0]).not.toBe((await tagsOf(steps))[0]);
  });
});

describe('a stream with a transcript', () => {
  /** The stream of one end, whose tags the test keeps by hand; and what has come at the other. */
  function setUp() {
    const [left, right] = memoryChannelPair();
    const asked: { tag: Uint8Array; answer: (kept: Uint8Array) => void; fail: (error: Error) => void }[] = [];
    const keep = (_: number, tag: Uint8Array) =>
      new Promise<Uint8Array>((answer, fail) => asked.push({ tag, answer, fail }));
    const stream = new MessageStream(left, new Transcript(KEY, 'a', { keep }));
    return { stream, peer: new MessageStream(right), asked, left };
  }
  const send = async (stream: MessageStream, byte: number) => {
    stream.write(byte, Uint8Array.of(byte));
    await stream.flush();
  };

  it('lets nothing leave before its position is kept, in the order in which it was written', async () => {
    const { stream, peer, asked, left } = setUp();
    const first = send(stream, 1);
    await send(peer, 9);
    await stream.read(9, 1);
    const second = send(stream, 2);
    const third = send(stream, 3); // nothing was received in between: no position of its own
    await expect.poll(() => asked.length).toBe(1);
    expect(left.bytesSent).toBe(0);
    asked[0]!.answer(asked[0]!.tag);
    await first;
    await expect.poll(() => asked.length).toBe(2);
    expect(left.bytesSent).toBe(9);
    asked[1]!.answer(asked[1]!.tag);
    await Promise.all([second, third]);
    expect(
      [await peer.read(1, 1), await peer.read(2, 1), await peer.read(3, 1)].flatMap((b) => [...b]),
    ).toEqual([1, 2, 3]);
    expect(asked).toHaveLength(2);
  });

  it('writes ahead what does not wait for what comes meanwhile', async () => {
    const { stream, peer, asked } = setUp();
    const write = stream.ahead();
    await expect.poll(() => asked.length).toBe(1);
    asked[0]!.answer(asked[0]!.tag);
    await send(peer, 9);
    await stream.read(9, 1);
    write(4, Uint8Array.of(4));
    await stream.flush();
    expect(await peer.read(4, 1)).toEqual(Uint8Array.of(4));
    expect(asked).toHaveLength(1);
    stream.write(5, Uint8Array.of(5));
    await expect.poll(() => asked.length).toBe(2);
  });

  it('tells both who writes and who reads that something differs, and the peer', async () => {
    const { stream, peer, asked, left } = setUp();
    const writing = send(stream, 1);
    const reading = stream.read(9, 1);
    const failed = Promise.allSettled([writing, reading]);
    await expect.poll(() => asked.length).toBe(1);
    asked[0]!.answer(randomBytes(16));
    for (const outcome of await failed)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_ANSWER_DIFFERS' } });
    await expect(peer.read(1, 1)).rejects.toMatchObject({ parameters: { reason: 'ERR_ANSWER_DIFFERS' } });
    expect(left.bytesSent).toBe(0);
  });

  it('lets nothing leave when a position cannot be kept', async () => {
    const { stream, peer, asked, left } = setUp();
    const writing = send(stream, 1);
    const failed = expect(writing).rejects.toThrow('disk I/O error');
    await expect.poll(() => asked.length).toBe(1);
    asked[0]!.fail(new Error('disk I/O error'));
    await failed;
    await expect(peer.read(1, 1)).rejects.toMatchObject({ parameters: { reason: 'ERR_COMPUTATION' } });
    expect(left.bytesSent).toBe(0);
  });

  it('tells the peer that something differs no sooner than its next byte may leave', async () => {
    const { stream, peer, asked } = setUp();
    let waits = 0;
    const opening = Promise.withResolvers<void>();
    stream.hold(() => {
      waits += 1;
      return opening.promise;
    });
    const failed = expect(send(stream, 1)).rejects.toMatchObject({ code: 'ERR_ANSWER_DIFFERS' });
    let isTold = false;
    const told = expect(peer.read(1, 1)).rejects.toMatchObject({
      parameters: { reason: 'ERR_ANSWER_DIFFERS' },
    });
    void told.then(() => {
      isTold = true;
    });
    await expect.poll(() => asked.length).toBe(1);
    asked[0]!.answer(randomBytes(16));
    await setImmediate();
    await setImmediate();
    expect([isTold, waits]).toEqual([false, 1]);
    opening.resolve();
    await Promise.all([failed, told]);
  });
});
