import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { followStream, type StreamFrame } from './event-stream.js';

type Answer = (response: ServerResponse) => void;

/** After which an answer that says nothing more is given up, and one that is only late on a busy machine. */
const SILENCE = { ofSilentMs: 3_000, ofOthersMs: 240_000 };
const sending =
  (text: string, isOver = true): Answer =>
  (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(text);
    if (isOver) response.end();
  };

describe('the live stream', () => {
  let server: Server;
  let url: string;
  let answers: Answer[];
  let asked: IncomingHttpHeaders[];

  beforeEach(async () => {
    answers = [];
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.headers);
      const answer = answers.shift();
      if (answer === undefined) response.destroy();
      else answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Follows until so many frames came. */
  async function follow(frames: number, silent: ReadonlySet<Answer | undefined> = new Set()) {
    const seen: StreamFrame[] = [];
    const leave = new AbortController();
    let tokens = 0;
    await followStream({
      url,
      headers: () => Promise.resolve({ Authorization: `Bearer ${(tokens += 1)}` }),
      lastEventId: undefined,
      onFrame: (frame) => {
        seen.push(frame);
        if (seen.length === frames) leave.abort();
      },
      onConnected: () => undefined,
      signal: leave.signal,
      times: {
        // Of each connection, when it is asked for.
        get silenceMs() {
          return silent.has(answers[0]) ? SILENCE.ofSilentMs : SILENCE.ofOthersMs;
        },
        firstPauseMs: 1,
        longestPauseMs: 4,
      },
    });
    return seen;
  }

  it('a connection that breaks, is refused for a while or falls silent is followed by one behind its last frame', async () => {
    const nothing: Answer = () => undefined;
    const halting = sending('id: c\nevent: stored\ndata: {"n":2}\n\n', false);
    answers = [
      sending('id: a\nevent: open\ndata: {"resumed":false}\n\nid: b\nevent: stored\ndata: {"n":1}\n\n: x'),
      (response) => void response.writeHead(503, { 'Retry-After': '0' }).end(),
      (response) => response.destroy(),
      nothing,
      halting,
      sending('id: d\nevent: stored\nda'),
      sending('event: stored\nid: d\ndata: {"n":3}\n\n'),
    ];
    const seen = await follow(4, new Set([nothing, halting]));
    expect(seen.map(({ data }) => data)).toEqual([{ resumed: false }, { n: 1 }, { n: 2 }, { n: 3 }]);
    expect(asked.map((headers) => headers['last-event-id'])).toEqual([
      undefined,
      'b',
      'b',
      'b',
      'b',
      'c',
      'c',
    ]);
    expect(asked.map(({ authorization }) => authorization)).toEqual(
      asked.map((_, index) => `Bearer ${index + 1}`),
    );
    expect(new Set(asked.map(({ accept }) => accept))).toEqual(new Set(['text/event-stream']));
  });

  it('a limit that lasts for minutes ends it, with the time that is left', async () => {
    answers = [(response) => void response.writeHead(429, { 'Retry-After': '600' }).end()];
    await expect(follow(1)).rejects.toMatchObject({ status: 429, retryAfterMs: 600_000 });
  });

  it('what waiting does not change ends it: a refusal of the role, and a stream that is forbidden', async () => {
    const body = JSON.stringify({
      success: false,
      error: { code: 'NOT_FOUND', message: 'No.', details: {} },
    });
    answers = [(response) => void response.writeHead(404).end(body)];
    await expect(follow(1)).rejects.toMatchObject({ status: 404, message: 'No.' });
    answers = [sending('id: a\nevent: close\ndata: {"reason":"forbidden"}\n\n')];
    await expect(follow(2)).rejects.toBeInstanceOf(ApiError);
    expect(asked).toHaveLength(2);
  });
});
