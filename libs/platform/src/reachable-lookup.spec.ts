import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lookupWithin, UnreachableAddressError } from './reachable-lookup.js';
import type { ResolveName } from './resolve-name.js';

const reachable = {
  includes: (address: string) => address !== '127.0.0.1',
  includesHostOf: () => true,
  isInnerName: () => false,
};
const PUBLIC = '203.0.113.7';
const INSIDE = '127.0.0.1';

/** A name server that answers each question with the next list of addresses. */
function answering(...answers: readonly (readonly string[])[]): { asked: number; resolve: ResolveName } {
  const server = {
    asked: 0,
    resolve: () => {
      const addresses = answers[Math.min(server.asked, answers.length - 1)] ?? [];
      server.asked += 1;
      return Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
    },
  };
  return server;
}

function look(resolve: ResolveName, all: boolean): Promise<unknown> {
  return new Promise((done) => {
    lookupWithin(reachable, resolve)('shop.example', { all }, (error, address) => done(error ?? address));
  });
}

describe('a name at the call', () => {
  let server: Server;
  let calls = 0;

  beforeAll(async () => {
    server = createServer((_, response) => {
      calls += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, INSIDE, resolve));
  });

  afterAll(() => {
    server.close();
  });

  it('a name is resolved once: what was checked is what is connected to', async () => {
    const names = answering([PUBLIC], [INSIDE]);
    expect(await look(names.resolve, false)).toBe(PUBLIC);
    expect(names.asked).toBe(1);
  });

  it('a name that leads inside by now is refused, also where only one of its addresses does', async () => {
    for (const all of [true, false]) {
      expect(await look(answering([INSIDE]).resolve, all)).toBeInstanceOf(UnreachableAddressError);
      expect(await look(answering([PUBLIC, INSIDE]).resolve, all)).toBeInstanceOf(UnreachableAddressError);
    }
    expect(await look(answering([]).resolve, true)).toBeInstanceOf(UnreachableAddressError);
  });

  it('a server inside is not called by a name that changed its answer after the check', async () => {
    const names = answering([PUBLIC], [INSIDE]);
    expect(await look(names.resolve, false)).toBe(PUBLIC);
    const { port } = server.address() as AddressInfo;
    const lookup = lookupWithin(reachable, names.resolve);
    const outcome = await new Promise((done) => {
      request({ host: 'shop.example', port, lookup }, () => done('called'))
        .on('error', done)
        .end();
    });
    expect(outcome).toBeInstanceOf(UnreachableAddressError);
    expect(calls).toBe(0);
  });
});
