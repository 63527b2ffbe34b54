import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT_FLAGS } from '@truetally/processes';
import { openBuiltImage } from './built-image.js';

const NODE = '/app/bin/node';
const CONFIG = {
  User: '65532:65532',
  Env: [],
  Entrypoint: [NODE, ...EXIT_FLAGS],
  Cmd: ['service/dist/main.js'],
  WorkingDir: '/app',
  StopSignal: 'SIGTERM',
  Healthcheck: { Test: ['CMD', NODE, '/app/bin/health-check.mjs'] },
};

let built: string;

beforeEach(() => {
  built = mkdtempSync(join(tmpdir(), 'truetally-built-'));
  write('image.json', JSON.stringify({ Docker: { config: CONFIG } }));
  write('root/app/sbom.cdx.json', JSON.stringify({ bomFormat: 'CycloneDX', components: [{}, {}] }));
});
afterEach(() => {
  rmSync(built, { recursive: true });
});

describe('a built image', () => {
  it('a built image is opened with the number of its packages', () => {
    expect(openBuiltImage(built, 'gateway')).toMatchObject({ service: 'gateway', packages: 2, mebibytes: 1 });
  });

  it('a built image has no shell', () => {
    write('root/usr/bin/dash', '');
    expect(() => openBuiltImage(built, 'gateway')).toThrow('holds a shell, usr/bin/dash');
  });

  it.each([
    ['root', { User: 'root' }],
    ['a program of its own', { Entrypoint: ['/bin/sh'] }],
    ['no health check', { Healthcheck: null }],
  ])('a built image does not have %s', (_, change) => {
    write('image.json', JSON.stringify({ Docker: { config: { ...CONFIG, ...change } } }));
    expect(() => openBuiltImage(built, 'gateway')).toThrow('The image of gateway is configured as');
  });

  it('holds no tests', () => {
    write('root/app/service/dist/main.spec.js', '');
    expect(() => openBuiltImage(built, 'gateway')).toThrow('main.spec.js');
  });

  it('a built image has a bill of materials', () => {
    write('root/app/sbom.cdx.json', '{}');
    expect(() => openBuiltImage(built, 'gateway')).toThrow('names no package');
  });
});

function write(path: string, content: string): void {
  const file = join(built, 'gateway', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
