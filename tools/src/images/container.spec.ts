import { describe, expect, it } from '@jest/globals';
import { specification } from './container.js';

const CONFIGURATION = {
  User: '65532:65532',
  Env: ['NODE_ENV=production'],
  Entrypoint: ['/app/bin/node'],
  Cmd: ['service/dist/main.js'],
  WorkingDir: '/app',
  StopSignal: 'SIGTERM',
  Healthcheck: { Test: ['CMD', '/app/bin/node', '/app/bin/health-check.mjs'] },
};

describe('a container of an image', () => {
  const found = specification({
    name: 'gateway-main',
    folder: '/built',
    root: '/built/gateway/root',
    configuration: CONFIGURATION,
    args: CONFIGURATION.Cmd,
    env: { HTTP_PORT: '8080' },
    files: { readable: ['/secrets/keyring.json'], writable: ['/media'] },
  });

  it('runs what the image says, with what the platform adds', () => {
    expect(found.process).toMatchObject({
      args: ['/app/bin/node', 'service/dist/main.js'],
      cwd: '/app',
      env: ['NODE_ENV=production', 'HTTP_PORT=8080'],
    });
  });

  it('a container may do nothing that the image does not need', () => {
    expect(found.root).toEqual({ path: '/built/gateway/root', readonly: true });
    expect(found.process).toMatchObject({ user: { uid: 65_532, gid: 65_532 }, noNewPrivileges: true });
    expect(Object.values(found.process.capabilities).flat()).toEqual([]);
  });

  it('writes into memory and into what is mounted for that', () => {
    const writable = found.mounts.filter(({ type, options }) => type === 'bind' && !options.includes('ro'));
    expect(writable.map(({ destination }) => destination)).toEqual(['/media']);
    expect(found.mounts).toContainEqual(expect.objectContaining({ destination: '/tmp', type: 'tmpfs' }));
  });
});
