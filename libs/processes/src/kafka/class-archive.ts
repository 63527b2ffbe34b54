import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { eventually } from '../eventually.js';
import { freePort } from '../free-port.js';
import { ManagedProcess } from '../process/managed-process.js';
import { javaBroker } from './java-broker.js';
import { javaCommand } from './java.js';
import { isServing } from './probe.js';

const TRAINING_TIMEOUT_MS = 120_000;
const HASH_CHARACTERS = 12;
/** Java's error, for example, if it was packaged without a default archive that ours could extend. */
const REFUSAL = 'Error occurred during initialization of VM';
/** The serial collector costs the same, and pauses longer (docs/benchmarks/profiles.md). */
export const COLLECTOR = '-XX:+UseG1GC';

/**
 * Flags that start Java with Kafka's classes loaded and verified (class data sharing), which halves the
 * processor time of a start. The archive is created once per place, Kafka and Java version, by a broker that is
 * started for it. Without one (not every Java supports it) the start is only slower.
 */
export async function classArchiveFlags(libraries: string): Promise<readonly string[]> {
  const archive = await archiveFile(libraries);
  const withoutOne = `${archive}.none`;
  if (!existsSync(archive) && !existsSync(withoutOne)) {
    // A failed or interrupted training is no evidence about this Java: the next start tries again.
    const outcome = await train(libraries, archive).catch(() => 'interrupted');
    if (outcome === 'none given') await writeFile(withoutOne, '');
  }
  return existsSync(archive) ? [`-XX:SharedArchiveFile=${archive}`, '-Xshare:auto'] : [];
}

type Training = 'made' | 'none given' | 'interrupted';

async function train(libraries: string, archive: string): Promise<Training> {
  const dataDir = await mkdtemp(`${libraries}-training-`);
  const unfinished = join(dataDir, 'classes.jsa');
  try {
    const port = await freePort();
    const place = { dataDir, port, controllerPort: await freePort() };
    const flags = ['-Xmx256m', COLLECTOR, `-XX:ArchiveClassesAtExit=${unfinished}`];
    const { command, args, env } = await javaBroker(place, libraries, flags);
    const logFile = join(dataDir, 'training.log');
    const broker = await ManagedProcess.start({ name: 'Kafka', command, args, env, logFile });
    let hasServed = false;
    try {
      await eventually(() => !broker.isRunning || isServing(`127.0.0.1:${port}`), {
        timeoutMs: TRAINING_TIMEOUT_MS,
      });
      hasServed = broker.isRunning;
    } finally {
      await broker.stop('SIGTERM', TRAINING_TIMEOUT_MS);
    }
    if (broker.output().includes(REFUSAL)) return 'none given';
    // Java answers SIGTERM with an exit of its own; only a forced end is reported as a signal.
    if (!hasServed || broker.exitStatus?.signal !== null) return 'interrupted';
    if (!existsSync(unfinished)) return 'none given';
    await rename(unfinished, archive);
    return 'made';
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Another Java version cannot use the archive, and Java cannot where the libraries are at another place than when it was
 * made, as in a moved or copied checkout: it would ignore it for good.
 */
export async function archiveFile(libraries: string): Promise<string> {
  const command = javaCommand();
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = command.includes('/') ? [command] : folders.map((folder) => join(folder, command));
  const program = await realpath(candidates.find((candidate) => existsSync(candidate)) ?? command);
  const { mtimeMs } = await stat(program);
  const madeFor = createHash('sha256').update(`${program} ${mtimeMs} ${libraries}`).digest('hex');
  return `${libraries}-${madeFor.slice(0, HASH_CHARACTERS)}.jsa`;
}
