import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classArchiveFlags } from './class-archive.js';
import { javaCommand } from './java.js';
import { kafkaLibraries } from './libraries.js';

const TIMEOUT_MS = 120_000;
const FLAGS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/**
 * Changes the SCRAM password of a Kafka user, for which the driver has no request.
 * @param commandConfig a properties file with the connection and credentials of a user who may do this
 */
export async function changePassword(
  brokers: string,
  commandConfig: string,
  user: { readonly name: string; readonly password: string },
): Promise<void> {
  const libraries = await kafkaLibraries();
  const archive = await classArchiveFlags(libraries);
  const common = [...FLAGS, ...archive, '-cp', join(libraries, '*'), 'kafka.admin.ConfigCommand'];
  const place = ['--bootstrap-server', brokers, '--command-config', commandConfig];
  const change = ['--alter', '--entity-type', 'users', '--entity-name', user.name];
  const value = ['--add-config', `SCRAM-SHA-512=[password=${user.password}]`];
  await promisify(execFile)(javaCommand(), [...common, ...place, ...change, ...value], {
    timeout: TIMEOUT_MS,
  });
}
