import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  alsoRecordIn,
  endRecordedProcesses,
  identify,
  isAlive,
  type ProcessIdentity,
  removeDockerBroker,
  removePostgresData,
  SHARED_STARTS,
} from '@truetally/processes';

/** The folder of one test run. */
export interface RunFolder {
  readonly path: string;
  readonly kafkaDataDir: string;
  readonly postgresDataDir: string;
  /** For the temporary files of the tests themselves. */
  readonly temporary: string;
  /** For what all suites share; beside it each suite has its own. */
  readonly startsFile: string;
  /** New data of Postgres servers, to be copied. */
  readonly newData: string;
  /** Ends every process of the run, then removes the folder. */
  remove(): Promise<void>;
}

const PREFIX = 'truetally-test-';
const OWNER = 'owner.json';

export async function createRunFolder(): Promise<RunFolder> {
  const path = await mkdtemp(join(tmpdir(), PREFIX));
  // Postgres' user must be able to enter it.
  await chmod(path, 0o755);
  await writeFile(join(path, OWNER), JSON.stringify(identify(process.pid)));
  alsoRecordIn(join(path, 'processes'));
  const temporary = join(path, 'tmp');
  const starts = join(path, 'starts');
  const newData = join(path, 'new-data');
  await Promise.all([temporary, starts, newData].map((folder) => mkdir(folder)));
  return {
    path,
    kafkaDataDir: join(path, 'kafka'),
    postgresDataDir: join(path, 'postgres'),
    temporary,
    startsFile: join(starts, SHARED_STARTS),
    newData,
    remove: () => remove(path),
  };
}

/** Folders of killed runs. */
export async function removeAbandonedRunFolders(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const path = join(tmpdir(), name);
    const owner = await readOwner(path);
    if (owner !== null && !isAlive(owner)) await remove(path);
  }
}

async function remove(path: string): Promise<void> {
  await endRecordedProcesses(join(path, 'processes'));
  await removeDockerBroker(join(path, 'kafka'));
  await removePostgresData(join(path, 'postgres'));
  await rm(path, { recursive: true, force: true });
}

async function readOwner(path: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(join(path, OWNER), 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}
