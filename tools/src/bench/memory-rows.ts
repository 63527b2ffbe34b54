import { SERVICE_NAMES } from '@truetally/contracts/services';
import { MIB } from './measure.js';
import type { ProductStack } from './product-stack.js';
import { inMebibytes, type Row } from './report.js';

/**
 * The two services that handle every event may use more, because memory saves a third of their processor
 * time.
 */
const HOT_PROCESSES: readonly string[] = ['gateway', 'ingestion'];
const MAX_HOT_BYTES = 512 * MIB;
const MAX_NODE_BYTES = 256 * MIB;

/** Our own processes by name, without Kafka and Postgres. */
export function nodeProcesses(stack: ProductStack): Record<string, number> {
  return Object.fromEntries(
    Object.entries(stack.now().pids).filter(([name]) => SERVICE_NAMES.some((service) => service === name)),
  );
}

export function memoryRow(name: string, bytes: number, when = 'under this load'): Row {
  const most = HOT_PROCESSES.includes(name) ? MAX_HOT_BYTES : MAX_NODE_BYTES;
  return {
    name: `most memory of ${name} ${when}`,
    figure: inMebibytes(bytes),
    target: `≤ ${inMebibytes(most)}`,
    isMet: bytes <= most,
  };
}
