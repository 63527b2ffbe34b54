import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, identify, NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';
import { ImageProcess } from './image-process.js';
import type { PictureReply, PictureRequest } from './picture-message.js';
import { pictures } from '../testing/pictures.js';

const BUILT = join(REPOSITORY_ROOT, 'apps', 'management', 'dist', 'media');
const SCRIPT = join(BUILT, 'image-child.js');
const run = promisify(execFile);
/** A start of a process is a part of its first picture's time. */
const PATIENT_MS = 240_000;
const DIE = `process.on('message', () => process.kill(process.pid, 'SIGKILL'))`;
const SAY_PID = `process.on('message', () => process.send({ refusal: String(process.pid) }))`;

describe('the image process', () => {
  let folder: string;
  let crashes: string[];
  const opened: ImageProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-images-'));
    crashes = [];
  });

  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(options: { script?: string; idleMs?: number } = {}): ImageProcess {
    const images = new ImageProcess({
      script: SCRIPT,
      timeoutMs: PATIENT_MS,
      onCrash: (reason) => crashes.push(reason),
      ...options,
    });
    opened.push(images);
    return images;
  }

  function script(source: string): string {
    const path = join(folder, 'child.cjs');
    writeFileSync(path, source);
    return path;
  }

  /** Its answers in a process that must not open files, and then in the same process when it may. */
  async function inProcessWithoutFiles(asked: PictureRequest): Promise<unknown> {
    const path = join(folder, 'parent.mjs');
    writeFileSync(
      path,
      `import { closeSync, openSync } from 'node:fs';
       import { ImageProcess } from '${BUILT}/image-process.js';
       const images = new ImageProcess({ script: '${SCRIPT}', timeoutMs: ${PATIENT_MS}, onCrash: () => undefined });
       const asked = ${JSON.stringify(asked)};
       const open = [];
       try { for (;;) open.push(openSync('/dev/null')); } catch {}
       const without = await images.reencode(asked);
       open.forEach((file) => closeSync(file));
       const answers = [without, await images.reencode(asked)];
       images.close();
       process.stdout.write(JSON.stringify(answers));`,
    );
    const { stdout } = await run('sh', ['-c', 'ulimit -n 64; exec "$0" "$1"', NODE_BINARY, path]);
    return JSON.parse(stdout);
  }

  async function request(bytes?: Uint8Array): Promise<{ input: string; output: string }> {
    const [input, output] = [join(folder, 'input'), join(folder, 'output')];
    writeFileSync(input, bytes ?? (await pictures.png()));
    writeFileSync(output, '');
    return { input, output };
  }

  it('decodes one picture after the other', async () => {
    const images = open();
    const asked = await request();
    const replies = await Promise.all([images.reencode(asked), images.reencode(asked)]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ picture: { extension: 'png', width: 32, height: 16 } });
    }
    expect(statSync(asked.output).size).toBeGreaterThan(0);
    expect(crashes).toEqual([]);
  });

  it('the image process is ended when it was idle, and started again when it is needed', async () => {
    const images = open({ script: script(SAY_PID), idleMs: 1 });
    const pidOf = (reply: PictureReply): number => Number('refusal' in reply && reply.refusal);
    const asked = await request();
    const [first, second] = await Promise.all([images.reencode(asked), images.reencode(asked)]);
    expect(pidOf(first)).toBe(pidOf(second));
    await eventually(() => identify(pidOf(first)) === null);
    expect(pidOf(await images.reencode(asked))).not.toBe(pidOf(first));
    expect(crashes).toEqual([]);
  });

  it('passes a refusal on', async () => {
    expect(await open().reencode(await request(Buffer.from('<svg/>')))).toEqual({
      refusal: 'must be a PNG, JPEG, WebP or GIF picture',
    });
  });

  it('distinguishes a full disk from a damaged picture', async () => {
    const { input } = await request();
    expect(await open().reencode({ input, output: '/dev/full' })).toEqual({
      failure: expect.stringMatching(/No space left/),
    });
    expect(crashes).toEqual([]);
  });

  it('the image process is unavailable while none can be started, and continues afterwards', async () => {
    const asked = await request();
    expect(await inProcessWithoutFiles(asked)).toEqual([
      { failure: expect.stringMatching(/EMFILE/) },
      { picture: expect.objectContaining({ extension: 'png' }) },
    ]);
  });

  it('refuses a picture that kills two processes, and goes on with the next', async () => {
    const path = script(DIE);
    const images = open({ script: path });
    const asked = await request();
    const dying = images.reencode(asked);
    expect(await dying).toEqual({ refusal: 'must be a picture that can be read; this one is damaged' });
    expect(crashes).toEqual(['SIGKILL', 'SIGKILL']);
    script('process.on("message", () => process.send({ refusal: "next" }))');
    expect(await images.reencode(asked)).toEqual({ refusal: 'next' });
  });

  it('ends a picture that takes too long, and goes on with the next', async () => {
    const path = script('process.on("message", () => { for (;;); })');
    // Only the endless picture has a short timeout: on a slow machine the next process needs time to start.
    const limits = { script: path, timeoutMs: 300, onCrash: (reason: string) => crashes.push(reason) };
    const images = new ImageProcess(limits);
    opened.push(images);
    const asked = await request();
    expect(await images.reencode(asked)).toEqual({
      refusal: 'must be a picture that can be read in some seconds',
    });
    expect(crashes).toEqual(['time out']);
    limits.timeoutMs = PATIENT_MS;
    script('process.on("message", () => process.send({ refusal: "next" }))');
    expect(await images.reencode(asked)).toEqual({ refusal: 'next' });
  });

  it('knows nothing of the environment of its parent', async () => {
    const path = script(
      'process.on("message", () => process.send({ refusal: Object.keys(process.env).join() }))',
    );
    expect(await open({ script: path }).reencode(await request())).toEqual({ refusal: '' });
  });
});
