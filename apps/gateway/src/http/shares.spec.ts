import { describe, expect, it } from '@jest/globals';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AddressSlots, BodyBudget, ClientAddresses } from './shares.js';

describe('shares of scarce resources', () => {
  it('one holder of a shared budget has no more than its share, and leaves the rest to others', () => {
    const budget = new BodyBudget(100, 40);
    expect(budget.take(['greedy'], 40)).toBe(true);
    expect(budget.take(['greedy'], 1)).toBe(false);
    budget.release(['greedy'], 1);
    expect(budget.take(['modest'], 26)).toBe(true);
    expect(budget.take(['modest'], 1)).toBe(false);
    budget.release(['modest'], 27);
    budget.release(['greedy'], 40);
    expect(budget.bytes).toBe(0);
    expect(budget.take(['modest'], 40)).toBe(true);
  });

  it('however many take all that they may, the next one finds room for what it needs', () => {
    const budget = new BodyBudget(72_000, 24_000);
    for (let holder = 0; holder < 12; holder += 1) {
      while (budget.take([`holder ${holder}`], 100)) continue;
      budget.release([`holder ${holder}`], 100);
    }
    expect(budget.bytes).toBeLessThan(72_000);
    expect(budget.take(['the next one'], 100)).toBe(true);
  });

  it('one person has one share, however many workspaces it has', () => {
    const budget = new BodyBudget(100, 40);
    for (let workspace = 0; workspace < 4; workspace += 1)
      expect(budget.take([`workspace ${workspace}`, 'sub:owner'], 10)).toBe(true);
    expect(budget.take(['workspace 4', 'sub:owner'], 1)).toBe(false);
    expect(budget.take(['another', 'sub:another'], 20)).toBe(true);
  });

  it('an address has slots of its own, and gets one again for each that it gives back', () => {
    const slots = new AddressSlots(3, 2);
    expect([slots.take('a'), slots.take('a'), slots.take('a')]).toEqual([true, true, false]);
    expect([slots.take('b'), slots.take('c')]).toEqual([true, false]);
    slots.giveBack('a');
    expect([slots.take('c'), slots.take('a')]).toEqual([true, false]);
  });
});

describe('the address of a client', () => {
  const requestFrom = (peer: string, forwarded?: string): IncomingMessage => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: peer });
    const request = new IncomingMessage(socket);
    if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
    return request;
  };

  it.each([
    ['the peer', [], '192.0.2.1', undefined, '192.0.2.1'],
    ['the peer, also when it says otherwise', [], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['the peer where no proxy of ours stands', ['10.0.0.0/8'], '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['whom our proxy names', ['10.0.0.0/8'], '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    [
      'the last that is no proxy of ours',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1, 203.0.113.9, 10.9.9.9',
      '203.0.113.9',
    ],
    ['whom our proxy names with a port', ['10.0.0.0/8'], '10.1.2.3', '203.0.113.9:51234', '203.0.113.9'],
    [
      'whom our proxies name with ports',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1, [2001:db8:1:2::7]:51234, 10.9.9.9:443',
      '2001:0db8:0001:0002',
    ],
    ['the proxy that names nobody', ['10.1.2.3'], '10.1.2.3', 'nobody', '10.1.2.3'],
    ['the proxy that names only proxies', ['10.0.0.0/8'], '10.1.2.3', '10.9.9.9, 10.8.8.8', '10.1.2.3'],
    ['IPv4 as it is usually written', ['10.0.0.0/8'], '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['the network of an IPv6 address', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:0db8:0001:0002'],
    ['the same network in short', [], '2001:db8:1:2::7', undefined, '2001:0db8:0001:0002'],
  ])('the address of a client is %s', (_what, proxies, peer, forwarded, address) => {
    expect(new ClientAddresses(proxies).of(requestFrom(peer, forwarded))).toBe(address);
  });

  it('the address of a client is as quickly found behind thousands that it has forged', () => {
    const addresses = new ClientAddresses(['10.0.0.0/8']);
    const msOf = (forwarded: string): number => {
      const request = requestFrom('10.1.2.3', forwarded);
      const times = Array.from({ length: 50 }, () => {
        const began = performance.now();
        for (let n = 0; n < 10; n += 1) expect(addresses.of(request)).toBe('203.0.113.9');
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    expect(msOf(`${'a,'.repeat(8_000)}203.0.113.9`)).toBeLessThan(5 * msOf('203.0.113.9'));
  });

  it('needs proxies that are addresses', () => {
    expect(() => new ClientAddresses(['proxy.example'])).toThrow();
  });
});
