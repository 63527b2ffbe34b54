import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Connections } from './connections.js';

describe('the connections of a server', () => {
  it('the largest holder gives back as many as come, also before the end of the first is told', () => {
    const holders = new Map<Socket, string>();
    const connections = new Connections(
      3,
      () => false,
      (socket) => holders.get(socket) ?? '',
    );
    const open = (holder: string): Socket => {
      const socket = new Socket();
      holders.set(socket, holder);
      connections.add(socket);
      return socket;
    };
    const modest = open('modest');
    const greedy = Array.from({ length: 4 }, () => open('greedy'));
    expect(greedy.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false]);
    expect([modest.destroyed, [...connections].length]).toEqual([false, 3]);
  });
});
