import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { constants, createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { eventually } from '@truetally/testing';
import { BOUNDARY, FORM_TYPE, fileForm, type FormPart, formOf } from '../testing/form.js';
import { type FormRules, receiveFormFile } from './receive-form-file.js';

type Received = Awaited<ReturnType<typeof receiveFormFile>>;

const LIMIT_BYTES = 64 * 1024;
const RULES: FormRules = {
  field: 'file',
  fileLimitBytes: LIMIT_BYTES,
  formLimitBytes: 4 * LIMIT_BYTES,
  timeoutMs: 60_000,
};
const TOO_LARGE = {
  name: 'body-too-large',
  details: { file: [`must be at most ${LIMIT_BYTES / 2 ** 20} MiB`] },
};

describe('the file of a form, over real sockets', () => {
  let folder: string;
  let path: string;
  let server: Server;
  let rules: FormRules;
  let received: Received[];
  const sockets: Socket[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-form-'));
    server = createServer((request, response) => {
      void receiveFormFile(request, path, rules).then((result) => {
        received.push(result);
        response.end('answered');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    path = join(folder, 'draft');
    writeFileSync(path, '');
    rules = RULES;
    received = [];
  });

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  async function open(): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  }

  function head(length: number | 'chunked', type = FORM_TYPE, more = ''): string {
    const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${size}\r\n${more}\r\n`;
  }

  const result = (): Promise<Received> => eventually(() => received[0] ?? false);

  async function send(body: Uint8Array, type = FORM_TYPE, more = ''): Promise<Received> {
    const socket = await open();
    socket.write(head(body.length, type, more));
    socket.write(body);
    return result();
  }

  const file = (content: string | Uint8Array): FormPart => ({ name: 'file', fileName: 'p.png', content });
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  it('arrives whole, whatever bytes it holds, and is known by its content', async () => {
    const content = Buffer.concat([randomBytes(40_000), Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n`)]);
    expect(await send(fileForm(content))).toEqual({ ok: true, value: { sha256: sha256(content) } });
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it('arrives the same, however its form is cut into pieces', async () => {
    const content = Buffer.from(`begin\r\n--${BOUNDARY.slice(0, 8)}\r\n\r\n--\r\nend`);
    const form = fileForm(content);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(form.length), { maxLength: 12 }), async (cuts) => {
        received = [];
        const socket = await open();
        socket.write(head('chunked'));
        const places = [0, ...cuts.toSorted((left, right) => left - right), form.length];
        for (const [index, end] of places.slice(1).entries()) {
          const piece = form.subarray(places[index], end);
          if (piece.length === 0) continue;
          socket.write(`${piece.length.toString(16)}\r\n`);
          socket.write(piece);
          socket.write('\r\n');
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.write('0\r\n\r\n');
        expect(await result()).toEqual({ ok: true, value: { sha256: sha256(content) } });
        expect(readFileSync(path).equals(content)).toBe(true);
        socket.destroy();
      }),
      { numRuns: 60 },
    );
  });

  it('the file of a form is taken at its limit, and refused one byte beyond it', async () => {
    expect((await send(fileForm(randomBytes(LIMIT_BYTES)))).ok).toBe(true);
    received = [];
    expect(await send(fileForm(randomBytes(LIMIT_BYTES + 1)))).toEqual({ ok: false, error: TOO_LARGE });
  });

  it('the file of a form is refused by its length before it is read, and the client reads why', async () => {
    const socket = await open();
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.write(head(RULES.formLimitBytes + 1));
    expect(await result()).toEqual({ ok: false, error: TOO_LARGE });
    await eventually(() => answer.endsWith('answered\r\n0\r\n\r\n') || answer.endsWith('answered'));
  });

  it('the file of a form is refused at its limit also without a declared length', async () => {
    const socket = await open();
    socket.write(head('chunked'));
    const form = fileForm(randomBytes(LIMIT_BYTES * 2));
    socket.write(`${form.length.toString(16)}\r\n`);
    socket.write(form);
    expect(await result()).toEqual({ ok: false, error: TOO_LARGE });
  });

  it('the file of a form is refused if the rest of the form exceeds its limit', async () => {
    const preamble = Buffer.alloc(RULES.formLimitBytes, 'x');
    const socket = await open();
    socket.write(head('chunked'));
    socket.write(`${(preamble.length + 1).toString(16)}\r\n`);
    socket.write(preamble);
    socket.write('x\r\n');
    expect(await result()).toEqual({ ok: false, error: TOO_LARGE });
  });

  it.each<[string, readonly FormPart[], Record<string, readonly string[]>]>([
    ['no part', [], { file: ['is required'] }],
    [
      'another field',
      [{ name: 'title', content: 'x' }],
      { title: ['is not a known field'], file: ['is required'] },
    ],
    [
      'a field beside the file',
      [file('x'), { name: 'title', content: 'x' }],
      { title: ['is not a known field'] },
    ],
    [
      'another file',
      [{ ...file('x'), name: 'photo' }],
      { photo: ['is not a known field'], file: ['is required'] },
    ],
    ['the file twice', [file('x'), file('y')], { file: ['must be given once'] }],
    ['text in its place', [{ name: 'file', content: 'x' }], { file: ['must be a file'] }],
    [
      'a name of the prototype',
      [file('x'), { name: '__proto__', content: 'x' }],
      { ['__proto__']: ['is not a known field'] },
    ],
    [
      'very many parts',
      Array.from({ length: 500 }, (_, index) => ({ name: `f${index}`, content: 'x' })),
      { body: ['must hold one file and nothing else'] },
    ],
  ])('a form with %s is refused, and every field at fault named', async (_name, parts, details) => {
    expect(await send(formOf(...parts))).toEqual({ ok: false, error: { name: 'broken-rules', details } });
  });

  it.each([
    ['its last boundary is missing', fileForm('x').subarray(0, -8)],
    ['it ends in the middle of the file', fileForm('x'.repeat(100)).subarray(0, 220)],
    ['it ends in the headers of a part', fileForm('x').subarray(0, 60)],
    ['its boundary is another', Buffer.from(fileForm('x').toString().replaceAll(BOUNDARY, 'other'))],
    ['there is nothing', Buffer.alloc(0)],
    ['it is something else', Buffer.from('{"file":"x"}')],
  ])('a form is refused when %s', async (_name, body) => {
    const { ok, ...rest } = await send(body);
    expect([ok, rest]).toEqual([false, { error: { name: 'broken-form' } }]);
  });

  it.each([
    ['headers longer than any part needs', { headers: [`X-Filler: ${'x'.repeat(60_000)}`] }],
    ['very many headers', { headers: Array.from({ length: 1_000 }, (_, index) => `X-${index}: x`) }],
  ])('a part with %s does no harm', async (_name, more) => {
    const answer = await send(formOf({ ...file('x'), ...more }));
    expect(typeof answer.ok).toBe('boolean');
  });

  it.each([
    ['application/json', ''],
    ['multipart/form-data', ''],
    ['multipart/mixed; boundary=x', ''],
    ['image/png', ''],
    [FORM_TYPE, 'Content-Encoding: gzip\r\n'],
  ])('a body of type %s %s is no form that is read', async (type, more) => {
    const body = more === '' ? fileForm('x') : gzipSync(fileForm('x'));
    expect(await send(body, type, more)).toEqual({ ok: false, error: { name: 'unsupported-form' } });
  });

  it('the file of a form is refused when it comes too slowly', async () => {
    rules = { ...RULES, timeoutMs: 100 };
    const form = fileForm('x'.repeat(1_000));
    const socket = await open();
    socket.write(head(form.length));
    socket.write(form.subarray(0, 300));
    expect(await result()).toEqual({ ok: false, error: { name: 'slow-body' } });
  });

  it.each([10, 160, 5_000])(
    'the file of a form is given up when the client goes away after %d bytes',
    async (sentBytes) => {
      const form = fileForm(randomBytes(20_000));
      const socket = await open();
      socket.write(head(form.length));
      socket.write(form.subarray(0, sentBytes));
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
      const answer = await result();
      expect(answer).toEqual({ ok: false, error: { name: 'incomplete-body' } });
    },
  );

  it('the file of a form is refused when it cannot be written', async () => {
    path = join(folder, 'no', 'such', 'folder');
    expect(await send(fileForm('x'.repeat(50_000)))).toEqual({ ok: false, error: { name: 'unavailable' } });
  });

  it('waits for the disk: at no time more than a piece of it is in memory', async () => {
    rules = { ...RULES, fileLimitBytes: 2 ** 27, formLimitBytes: 2 ** 28, timeoutMs: 50_000 };
    path = join(folder, 'slow-disk');
    execFileSync('mkfifo', [path]);
    const unread = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const content = randomBytes(64 * 2 ** 20);
    const form = fileForm(content);
    const socket = await open();
    socket.write(head(form.length));
    let sent = 0;
    const sending = (async () => {
      for (const pieceBytes = 2 ** 18; sent < form.length; sent += pieceBytes) {
        if (socket.write(form.subarray(sent, sent + pieceBytes))) continue;
        await new Promise((resolve) => socket.once('drain', resolve));
      }
    })();
    let before = -1;
    const isStuck = (): boolean => {
      const isSame = sent === before;
      before = sent;
      return isSame;
    };
    await eventually(isStuck, { intervalMs: 500 });
    // Part of it is in socket buffers; the rest was never read.
    expect(sent).toBeLessThan(form.length / 2);
    const disk = createReadStream(path);
    const written = createHash('sha256');
    disk.on('data', (piece) => written.update(piece));
    await new Promise((resolve) => disk.once('open', resolve));
    await unread.close();
    expect(await eventually(() => received[0] ?? false)).toEqual({
      ok: true,
      value: { sha256: sha256(content) },
    });
    await sending;
    await eventually(() => disk.closed);
    expect(written.digest('hex')).toBe(sha256(content));
  });
});
