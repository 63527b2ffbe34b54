import { describe, expect, it } from '@jest/globals';
import { dockerArguments } from './docker-broker.js';

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
