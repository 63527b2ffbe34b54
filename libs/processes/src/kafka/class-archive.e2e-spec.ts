import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../eventually.js';
import { ManagedProcess } from '../process/managed-process.js';
import { classArchiveFlags } from './class-archive.js';
import { kafkaLibraries } from './libraries.js';

describe('classArchiveFlags', () => {
  let folder: string;
  let libraries: string;
  let optionsBefore: string | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-archive-'));
    libraries = join(folder, 'kafka');
    symlinkSync(await kafkaLibraries(), libraries);
    optionsBefore = process.env['JAVA_TOOL_OPTIONS'];
  });

  afterEach(() => {
    if (optionsBefore === undefined) delete process.env['JAVA_TOOL_OPTIONS'];
    else process.env['JAVA_TOOL_OPTIONS'] = optionsBefore;
    rmSync(folder, { recursive: true, force: true });
  });

  it('class archives are made at a later start when the training broker was killed', async () => {
    const flags = classArchiveFlags(libraries);
    await eventually(() => ManagedProcess.running.size > 0);
    for (const broker of ManagedProcess.running) broker.send('SIGKILL');
    await expect(flags).resolves.toEqual([]);
    expect(readdirSync(folder)).toEqual(['kafka']);
    await expect(classArchiveFlags(libraries)).resolves.toEqual([
      expect.stringMatching(/^-XX:SharedArchiveFile=.*\.jsa$/),
      '-Xshare:auto',
    ]);
  });

  it('class archives are done without from then on when Java refuses to make one', async () => {
    process.env['JAVA_TOOL_OPTIONS'] = '-Xshare:off';
    await expect(classArchiveFlags(libraries)).resolves.toEqual([]);
    expect(readdirSync(folder)).toEqual(['kafka', expect.stringMatching(/\.jsa\.none$/)]);
  });
});
