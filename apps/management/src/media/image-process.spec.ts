import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, identify, REPOSITORY_ROOT } from '@truetally/testing';
import { ImageProcess } from './image-process.js';
import type { PictureReply } from './picture-message.js';
import { pictures } from './pictures.fixture.js';

const SCRIPT = join(REPOSITORY_ROOT, 'apps', 'management', 'dist', 'media', 'image-child.js');
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

  function open(options: { script?: string; timeoutMs?: number; idleMs?: number } = {}): ImageProcess {
    const images = new ImageProcess({
      script: SCRIPT,
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

  it('is ended when it was idle, and started again when it is needed', async () => {
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
    const images = open({ script: path, timeoutMs: 300 });
    const asked = await request();
    expect(await images.reencode(asked)).toEqual({
      refusal: 'must be a picture that can be read in some seconds',
    });
    expect(crashes).toEqual(['time out']);
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
