import { isPortFree } from '@truetally/processes';
import { type PortVariable, type StackConfiguration } from './configuration.js';

const KAFKA_PORTS: readonly PortVariable[] = ['KAFKA_PORT', 'KAFKA_CONTROLLER_PORT'];

/** @throws Error naming every port that another process uses, and the variable that sets it */
export async function checkPorts(configuration: StackConfiguration): Promise<void> {
  const wanted = Object.entries(configuration.ports).filter(([name]) => isNeeded(name, configuration));
  const checked = await Promise.all(
    wanted.map(async ([name, port]) => ({ name, port, isFree: await isPortFree(port) })),
  );
  const taken = checked.filter(({ isFree }) => !isFree);
  if (taken.length === 0) return;
  const lines = taken.map(({ name, port }) => `Port ${port} is taken; ${name} sets another.`);
  const example = taken.map(({ name, port }) => `${name}=${port + 1000}`).join(' ');
  throw new Error(`${lines.join('\n')}\nFor example:  ${example} npm start`);
}

function isNeeded(name: string, { externalKafka, externalDatabase }: StackConfiguration): boolean {
  if (KAFKA_PORTS.some((port) => port === name)) return externalKafka === null;
  return name === 'POSTGRES_PORT' ? externalDatabase === null : true;
}
