import { rmSync } from 'node:fs';
import { type ServiceEntry, SERVICES } from '@truetally/contracts/services';
import { alsoRecordIn, endDockerBroker, endRecordedProcesses } from '@truetally/processes';
import { bringUp } from './bring-up.js';
import { checkPorts } from './check-ports.js';
import { readStackConfiguration } from './configuration.js';
import { localFolder } from './local-folder.js';
import { takeLock } from './stack-lock.js';
import { stopSignal } from './stop-signal.js';
import { Supervisor } from './supervisor.js';

const FAILED = 1;
/** Each service stops before those that it uses. */
const STOP_ORDER = [['dashboard', ...namesOf('edge')], namesOf('behind'), ['kafka', 'postgres', 'oidc']];

/** `npm start`: starts everything, keeps it running until a signal, and stops it. @returns the exit code */
export async function runStack(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const folder = localFolder(environment);
  let release = (): void => undefined;
  try {
    const configuration = readStackConfiguration(parameters, environment);
    ({ release } = takeLock(folder));
    rmSync(folder.stackFile, { force: true });
    const left = await endRecordedProcesses(folder.processes);
    if (left > 0) say(`Ended ${left} processes of a stack that was killed.`);
    await endDockerBroker(folder.kafka);
    alsoRecordIn(folder.processes);
    await checkPorts(configuration);
    return await runUntilSignal(folder, configuration);
  } catch (error) {
    console.error(describe(error));
    return FAILED;
  } finally {
    release();
  }
}

async function runUntilSignal(
  folder: ReturnType<typeof localFolder>,
  configuration: ReturnType<typeof readStackConfiguration>,
): Promise<number> {
  const stop = stopSignal();
  let publish = (): void => undefined;
  const supervisor = new Supervisor({ onReplaced: () => publish(), say });
  const beginning = bringUp({ folder, configuration, supervisor, say, stop }).then((running) => {
    publish = running.publish;
    return running;
  });
  let exitCode = 0;
  try {
    const running = await Promise.race([beginning, stop.promise]);
    if (running !== undefined) await stop.promise;
    say('Stopping …');
  } catch (error) {
    console.error(describe(error));
    exitCode = FAILED;
  }
  publish = (): void => undefined;
  rmSync(folder.stackFile, { force: true });
  await supervisor.stop(STOP_ORDER, beginning);
  rmSync(folder.stackFile, { force: true });
  say('Stopped; the data stays for the next start.');
  return exitCode;
}

function namesOf(role: ServiceEntry['role']): string[] {
  return SERVICES.filter((service) => service.role === role).map(({ name }) => name);
}

function say(line: string): void {
  console.log(line);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What was waited for in vain says little without what was answered instead.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
