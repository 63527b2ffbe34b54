import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnswerGatherer, connectInWholeAnswers } from './whole-answers.js';

function answerOf(content: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(content.length);
  return Buffer.concat([size, content]);
}

const contents = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });

describe('whole answers', () => {
  let server: Server | undefined;
  let socket: Socket | undefined;

  afterEach(() => {
    socket?.destroy();
    server?.close();
  });

  it('answers are as they were sent, in whatever pieces they come, whose memory is used again', () => {
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 50 }), (told, most) => {
        const answers: string[] = [];
        const gatherer = new AnswerGatherer((answer) => answers.push(answer.toString('hex')));
        const sent = Buffer.concat(told.map(answerOf));
        const memory = Buffer.alloc(most);
        for (let at = 0; at < sent.length; at += most) {
          const bytes = sent.copy(memory, 0, at, at + most);
          gatherer.take(memory.subarray(0, bytes));
        }
        expect(answers).toEqual(told.map((content) => answerOf(content).toString('hex')));
      }),
    );
  });

  it.each([-1, 2 ** 31 - 1])('an answer of %d bytes is refused', (bytes) => {
    const size = Buffer.alloc(4);
    size.writeInt32BE(bytes);
    expect(() => {
      new AnswerGatherer(() => undefined).take(size);
    }).toThrow(RangeError);
  });

  it('a connection tells each answer as one piece of data, and its end', async () => {
    const sent = [3_000_000, 0, 70_000].map((length) => answerOf(Buffer.alloc(length, length % 251)));
    const listening = createServer((peer) => peer.end(Buffer.concat(sent)));
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const address = listening.address();
    if (address === null || typeof address === 'string') throw new Error('No port.');
    const answers: Buffer[] = [];
    const connected = connectInWholeAnswers('127.0.0.1', address.port, () => undefined);
    socket = connected;
    connected.on('data', (answer: Buffer) => answers.push(answer));
    await new Promise((resolve) => connected.on('end', resolve));
    expect(answers.map((answer, index) => answer.equals(sent[index] ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
      true,
    ]);
  });
});
