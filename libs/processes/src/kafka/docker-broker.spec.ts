import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NODE_BINARY, REPOSITORY_ROOT } from '../repository.js';
import { dockerArguments, dockerBroker } from './docker-broker.js';

const BUILT = join(REPOSITORY_ROOT, 'libs', 'processes', 'dist', 'kafka', 'docker-broker.js');

describe('dockerArguments', () => {
  const place = { dataDir: '/data', port: 4192, controllerPort: 4193 };
  const args = dockerArguments(place, 'name', 'apache/kafka:4.1.1', 512);

  it('publish the broker on loopback only', () => {
    expect(args.filter((arg) => arg.startsWith('--publish'))).toEqual(['--publish=127.0.0.1:4192:4192']);
    expect(args).toContain('--env=KAFKA_LISTENERS=BROKER://0.0.0.0:4192,CONTROLLER://127.0.0.1:4193');
    expect(args).toContain('--env=KAFKA_ADVERTISED_LISTENERS=BROKER://127.0.0.1:4192');
  });

  it('keep the log in a volume that outlives the container', () => {
    expect(args).toEqual(expect.arrayContaining(['--rm', '--volume=name:/var/lib/kafka/data']));
    expect(args).toContain('--env=KAFKA_LOG_DIRS=/var/lib/kafka/data');
  });

  it('give the heap and end with the image', () => {
    expect(args).toContain('--env=KAFKA_HEAP_OPTS=-Xms64m -Xmx512m');
    expect(args.at(-1)).toBe('apache/kafka:4.1.1');
  });
});

describe('the volume and the container of a data folder', () => {
  let folder: string;
  let dataDir: string;

  /** A fake `docker` that records its arguments: tests must not need Docker. */
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-docker-'));
    dataDir = join(folder, 'kafka');
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho "$*" >> '${folder}/asked'\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'asked'), '');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('a data folder in Docker is a container to remove at the next start, and a volume to remove with it', async () => {
    const { args } = await dockerBroker({ dataDir, port: 4192, controllerPort: 4193 }, 512);
    const name = args.find((arg) => arg.startsWith('--name='))?.replace('--name=', '');
    expect(askedBy('endDockerBroker')).toEqual(['info', `rm --force ${name}`]);
    expect(askedBy('removeDockerBroker').slice(2)).toEqual([
      'info',
      `rm --force ${name}`,
      `volume rm --force ${name}`,
    ]);
  });

  it('a data folder for which Kafka never ran in Docker has nothing to remove', () => {
    mkdirSync(dataDir);
    expect(askedBy('endDockerBroker')).toEqual([]);
    expect(askedBy('removeDockerBroker')).toEqual([]);
  });

  /** In a separate process, which finds that program first. Returns all recorded arguments. */
  function askedBy(name: 'endDockerBroker' | 'removeDockerBroker'): string[] {
    const call = `import { ${name} } from '${BUILT}'; await ${name}(process.argv[1]);`;
    execFileSync(NODE_BINARY, ['--input-type=module', '-e', call, dataDir], {
      env: { PATH: [folder, process.env['PATH']].join(delimiter) },
    });
    return readFileSync(join(folder, 'asked'), 'utf8').split('\n').slice(0, -1);
  }
});
