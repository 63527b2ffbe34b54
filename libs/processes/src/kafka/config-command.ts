import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { javaCommand } from './java.js';
import { kafkaLibraries } from './libraries.js';

const TIMEOUT_MS = 120_000;
const FLAGS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/**
 * Gives a user of Kafka another SCRAM password, which the driver has no request for.
 * @param commandConfig a properties file: how to reach Kafka as somebody who may do it
 */
export async function changePassword(
  brokers: string,
  commandConfig: string,
  user: { readonly name: string; readonly password: string },
): Promise<void> {
  const common = [...FLAGS, '-cp', join(await kafkaLibraries(), '*'), 'kafka.admin.ConfigCommand'];
  const place = ['--bootstrap-server', brokers, '--command-config', commandConfig];
  const change = ['--alter', '--entity-type', 'users', '--entity-name', user.name];
  const value = ['--add-config', `SCRAM-SHA-512=[password=${user.password}]`];
  await promisify(execFile)(javaCommand(), [...common, ...place, ...change, ...value], {
    timeout: TIMEOUT_MS,
  });
}
