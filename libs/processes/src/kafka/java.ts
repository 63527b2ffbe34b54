import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const MIN_JAVA_VERSION = 17;

export const INSTALL_JAVA_AND_MAVEN =
  `Kafka needs Java ${MIN_JAVA_VERSION} or newer and Maven. Install both, for example\n` +
  '  Debian, Ubuntu:  apt-get install openjdk-17-jre-headless maven\n' +
  '  Fedora:          dnf install java-21-openjdk-headless maven\n' +
  '  macOS:           brew install openjdk maven\n' +
  'or start Docker, whose Kafka image is used instead, or name a broker of your own in KAFKA_BROKERS.';

/** What is missing of Java and Maven, as a message; empty when Kafka can be run. */
export function missingTools(): readonly string[] {
  const version = javaVersion();
  const missing: string[] = [];
  if (version === null) missing.push('Java was not found (neither in JAVA_HOME nor on the PATH).');
  else if (version < MIN_JAVA_VERSION) missing.push(`Java ${version} is too old.`);
  if (!isOnPath('mvn')) missing.push('Maven (mvn) was not found on the PATH.');
  return missing;
}

function isOnPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const names = process.platform === 'win32' ? [`${program}.cmd`] : [program];
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

export function javaCommand(): string {
  const home = process.env['JAVA_HOME'];
  return home === undefined || home === '' ? 'java' : join(home, 'bin', 'java');
}

/** The major version of Java, or null when there is none. */
export function javaVersion(): number | null {
  const { status, stderr } = spawnSync(javaCommand(), ['-version'], { encoding: 'utf8' });
  if (status !== 0) return null;
  const major = /version "(?:1\.)?(\d+)/.exec(stderr)?.[1];
  return major === undefined ? null : Number(major);
}
