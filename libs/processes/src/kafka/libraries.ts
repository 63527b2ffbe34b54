import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../repository.js';

const POM = join(REPOSITORY_ROOT, 'tools', 'kafka', 'pom.xml');
const CACHE = join(REPOSITORY_ROOT, 'node_modules', '.cache');
const DOWNLOAD_TIMEOUT_MS = 300_000;
const HASH_CHARACTERS = 12;

const run = promisify(execFile);

/** The folder with Kafka's jars; Maven fills it at the first call after a change of the pom. */
export async function kafkaLibraries(): Promise<string> {
  const pom = await readFile(POM);
  const hash = createHash('sha256').update(pom).digest('hex').slice(0, HASH_CHARACTERS);
  const folder = join(CACHE, `kafka-${hash}`);
  if (existsSync(folder)) return folder;

  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(join(CACHE, 'kafka-partial-'));
  try {
    await resolveJars(partial);
    // A temporary folder belongs to its creator only; another user may start Kafka, too.
    await chmod(partial, 0o755);
    await rename(partial, folder);
  } catch (error) {
    // A concurrent caller may have finished first; its result is as good.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function resolveJars(folder: string): Promise<void> {
  const args = ['-q', '-B', '-f', POM, 'dependency:copy-dependencies'];
  try {
    await run('mvn', [...args, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`], {
      timeout: DOWNLOAD_TIMEOUT_MS,
    });
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    throw new Error(`Maven could not resolve Kafka's jars:\n${output.trim()}`, { cause: error });
  }
}
