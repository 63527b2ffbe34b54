import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endRecordedProcesses, removeDockerBroker, removePostgresData } from '@truetally/processes';
import { localFolder } from './local-folder.js';
import { takeLock } from './stack-lock.js';

const FAILED = 1;

/** `npm run reset`: removes the files of the local stack; refuses while it runs. @returns the exit code */
export async function resetStack(environment: NodeJS.ProcessEnv): Promise<number> {
  const folder = localFolder(environment);
  try {
    const { release } = takeLock(folder);
    await endRecordedProcesses(folder.processes);
    await removeDockerBroker(folder.kafka);
    await removePostgresData(folder.postgres);
    for (const name of readdirSync(folder.path)) {
      const file = join(folder.path, name);
      if (file !== folder.lock) rmSync(file, { recursive: true, force: true });
    }
    release();
    console.log(`Removed the data in ${folder.path}.`);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return FAILED;
  }
}
