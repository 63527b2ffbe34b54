import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Api, createApi } from './request.js';

describe('a request of the pages', () => {
  let server: Server;
  let answers: ((response: ServerResponse) => void)[];
  let api: Api;
  let stays: { count: number };

  beforeEach(async () => {
    // Of this test: a page is left a second after its answer, when the next test may be counting.
    const counted = { count: 0 };
    [answers, stays] = [[], counted];
    server = createServer((_, response) => {
      // The last one stands: on a busy machine an answer may come too late, and is asked for once more.
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) response.destroy();
      else answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    api = createApi({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      idToken: () => Promise.resolve('token'),
      onUnauthorized: () => undefined,
      stay: () => {
        counted.count += 1;
        return () => (counted.count -= 1);
      },
      silenceMs: 3_000,
    });
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('a lost answer changed nothing when it was a read, and may have changed something when it was none', async () => {
    const wordsOf = (method: 'GET' | 'POST'): Promise<string> =>
      api<string>({ method, path: '/sites' }).catch(({ message }: Error) => message);
    expect(await wordsOf('GET')).toBe('Nothing was changed.');
    expect(await wordsOf('POST')).toMatch(/^Whether anything was changed is not known/);
  });

  it('a change without an answer is given up in the end, and said to be unknown', async () => {
    answers = [() => undefined];
    const change = api<string>({ method: 'POST', path: '/sites', body: {} });
    await expect(change).rejects.toThrow(/^Whether anything was changed is not known/);
  });

  it('a page stays while a change has no answer, and until its answer is shown, but not for a read', async () => {
    const waiting: ServerResponse[] = [];
    answers = [(response) => waiting.push(response)];
    for (const [method, staying] of [
      ['GET', 0],
      ['PUT', 1],
    ] as const) {
      const sent = api<string>({ method, path: '/sites' });
      const response = await eventually(() => waiting.pop());
      expect([method, stays.count]).toEqual([method, staying]);
      response.end(JSON.stringify({ success: true, data: 'ok' }));
      expect(await sent).toBe('ok');
      expect([method, stays.count]).toEqual([method, staying]);
    }
    await eventually(() => stays.count === 0);
  });

  it('an answer whose body stops is given up, and one whose body breaks off is none', async () => {
    const begin = (response: ServerResponse): void => void response.writeHead(200).write('{"success":');
    const breakOff = (response: ServerResponse): void => (begin(response), void response.destroy());
    answers = [begin, breakOff, (response) => void response.end('{"success":true,"data":"here"}')];
    expect(await api<string>({ path: '/sites' })).toBe('here');
    answers = [breakOff];
    const change = api<string>({ method: 'POST', path: '/sites', body: {} });
    await expect(change).rejects.toThrow(/^Whether anything was changed is not known/);
  });

  it('an answer that comes slowly, part by part, is read to its end', async () => {
    const parts = ['{"success":', 'true,', '"data":', '"here"}'];
    answers = [
      (response) => {
        const next = (): void => {
          response.write(parts.shift() ?? '');
          if (parts.length > 0) setTimeout(next, 1_000);
          else response.end();
        };
        next();
      },
    ];
    expect(await api<string>({ path: '/sites' })).toBe('here');
  });

  it('a read without an answer is tried again on another connection', async () => {
    answers = [
      () => undefined,
      (response) => void response.end(JSON.stringify({ success: true, data: 'here' })),
    ];
    expect(await api<string>({ path: '/sites' })).toBe('here');
  });

  it('a read that nobody answers is tried once more, and is given up then', async () => {
    let tries = 0;
    const { port } = server.address() as AddressInfo;
    const impatient = createApi({
      baseUrl: `http://127.0.0.1:${port}`,
      idToken: () => {
        tries += 1;
        return Promise.resolve('token');
      },
      onUnauthorized: () => undefined,
      stay: () => () => undefined,
      silenceMs: 10,
    });
    answers = [() => undefined];
    await expect(impatient({ path: '/sites' })).rejects.toThrow('Nothing was changed.');
    expect(tries).toBe(2);
  });
});
