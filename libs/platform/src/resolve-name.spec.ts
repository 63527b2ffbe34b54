import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { NetworkInterfaceInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { namesOf, namesOfSystem, ownFamilies, type ResolveName } from './resolve-name.js';

const HEAD_BYTES = 12;
const [A, AAAA] = [1, 28];
const [NO_SUCH_NAME, SERVER_FAILURE, REFUSED] = [3, 2, 5];

interface Question {
  readonly name: string;
  readonly kind: number;
  /** @param addresses of the kind that was asked for, as bytes */
  readonly answer: (code: number, addresses?: readonly (readonly number[])[]) => void;
}

/** A server of names that does with each question what the test says. */
class NameServer {
  private readonly socket: Socket = createSocket('udp4');
  onQuestion: (question: Question) => void = () => undefined;

  async open(): Promise<string> {
    this.socket.on('message', (message, from) => this.onQuestion(this.read(message, from)));
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): void {
    this.socket.close();
  }

  private read(message: Buffer, { port, address }: RemoteInfo): Question {
    const labels: string[] = [];
    let at = HEAD_BYTES;
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const kind = message.readUInt16BE(at + 1);
    const question = message.subarray(HEAD_BYTES, at + 5);
    const answer: Question['answer'] = (code, addresses = []) => {
      const head = [0x81, 0x80 + code, 0, 1, 0, addresses.length, 0, 0, 0, 0];
      const records = addresses.map((bytes) =>
        Buffer.from([0xc0, HEAD_BYTES, 0, kind, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
      );
      const whole = [message.subarray(0, 2), Buffer.from(head), question, ...records];
      this.socket.send(Buffer.concat(whole), port, address);
    };
    return { name: labels.join('.'), kind, answer };
  }
}

const V4 = [203, 0, 113, 7];
const V6 = [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 7];

describe('a name', () => {
  let server: NameServer;
  let at: string;
  let resolve: ResolveName;

  beforeEach(async () => {
    server = new NameServer();
    at = await server.open();
    resolve = namesOf([at], () => [4, 6]);
  });

  afterEach(() => server.close());

  it('a name is resolved while any number of names wait for servers that do not answer', async () => {
    const silent: Question[] = [];
    server.onQuestion = (question) => {
      if (question.name === 'shop.example') question.answer(0, question.kind === A ? [V4] : []);
      else silent.push(question);
    };
    let isAnySettled = false;
    const waiting = Array.from({ length: 50 }, async (_, index) => {
      await resolve(`silent-${index}.example`).catch(() => undefined);
      isAnySettled = true;
    });
    expect(await resolve('shop.example')).toEqual([{ address: '203.0.113.7', family: 4 }]);
    expect(isAnySettled).toBe(false);
    server.onQuestion = ({ answer }) => answer(NO_SUCH_NAME);
    for (const { answer } of silent) answer(NO_SUCH_NAME);
    await Promise.all(waiting);
  });

  it.each([
    ['of both kinds', [V4], [V6], ['203.0.113.7', '2001:db8::7']],
    ['of IPv6 alone', [], [V6], ['2001:db8::7']],
  ])('a name with addresses %s has all of them', async (_, ipv4, ipv6, expected) => {
    server.onQuestion = ({ kind, answer }) => answer(0, kind === AAAA ? ipv6 : ipv4);
    const addresses = await resolve('shop.example');
    expect(addresses.map(({ address }) => address)).toEqual(expected);
  });

  it.each([
    [A, V4, '203.0.113.7'],
    [AAAA, V6, '2001:db8::7'],
  ])(
    'a name has its addresses also where its servers never answer for the other kind: %j',
    async (told, bytes, expected) => {
      let silent = 0;
      server.onQuestion = ({ kind, answer }) => {
        if (kind === told) answer(0, [bytes]);
        else silent += 1;
      };
      expect((await resolve('shop.example')).map(({ address }) => address)).toEqual([expected]);
      // Until its last try the name would have waited for seven seconds.
      expect(silent).toBeLessThan(3);
    },
  );

  it.each([
    ['fails', SERVER_FAILURE],
    ['refuses', REFUSED],
  ])('a name is asked of the next server where one %s', async (_, code) => {
    const failing = new NameServer();
    failing.onQuestion = ({ answer }) => answer(code);
    server.onQuestion = ({ kind, answer }) => answer(0, kind === A ? [V4] : []);
    const servers = [await failing.open(), at];
    expect(await namesOf(servers, () => [4, 6])('shop.example')).toEqual([
      { address: '203.0.113.7', family: 4 },
    ]);
    failing.close();
  });

  it('a name has no address to which this machine has no way', async () => {
    server.onQuestion = ({ kind, answer }) => answer(0, kind === A ? [V4] : [V6]);
    expect(await namesOf([at], () => [4])('shop.example')).toEqual([{ address: '203.0.113.7', family: 4 }]);
    expect(await namesOf([at], () => [6])('shop.example')).toEqual([{ address: '2001:db8::7', family: 6 }]);
    expect(await namesOfSystem(() => [4])('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  });

  it.each([
    [[4], ['10.0.0.7', '127.0.0.1', 'fe80::7']],
    [[6], ['2001:db8::7', '127.0.0.1', '::1']],
    [
      [4, 6],
      ['169.254.0.7', 'fd00::7'],
    ],
    [
      [4, 6],
      ['127.0.0.1', '::1'],
    ],
  ])('a machine has a way to addresses of %j by its own %j', (families, own) => {
    const info = own.map((address) => ({
      ...{ address, family: address.includes(':') ? 'IPv6' : 'IPv4', netmask: '', mac: '', cidr: null },
      ...{ internal: /^127|^::1/.test(address), scopeid: 0 },
    }));
    expect(ownFamilies({ eth0: info as NetworkInterfaceInfo[] })).toEqual(families);
  });

  it.each([
    ['that does not exist', NO_SUCH_NAME, 'ENOTFOUND'],
    ['without an address', 0, 'ENOTFOUND'],
    ['whose servers fail', SERVER_FAILURE, 'EAI_AGAIN'],
  ])('a name %s is refused as the system says it', async (_, code, expected) => {
    server.onQuestion = ({ answer }) => answer(code);
    await expect(resolve('shop.example')).rejects.toMatchObject({ code: expected });
  });
});
