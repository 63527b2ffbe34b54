import { SERVICE_NAMES } from '@truetally/contracts/services';
import { MIB, peakMemory } from './measure.js';
import type { ProductStack } from './product-stack.js';
import { inMebibytes, type Row } from './report.js';

/**
 * The two services that handle every event may use more, because memory saves a third of their processor
 * time.
 */
const HOT_PROCESSES: readonly string[] = ['gateway', 'ingestion'];
const MAX_HOT_BYTES = 512 * MIB;
const MAX_NODE_BYTES = 256 * MIB;

/** Rows and, after them, the most memory of each service while they were measured. */
export async function withMemory(
  stack: ProductStack,
  {
    of = SERVICE_NAMES,
    when = 'under this load',
  }: { readonly of?: readonly string[]; readonly when?: string },
  rows: () => Promise<readonly Row[]>,
): Promise<Row[]> {
  const services = Object.entries(stack.now().pids).filter(([name]) =>
    of.some((service) => service === name),
  );
  const { result, peaks } = await peakMemory(Object.fromEntries(services), rows);
  return [...result, ...Object.entries(peaks).map(([name, bytes]) => memoryRow(name, bytes, when))];
}

function memoryRow(name: string, bytes: number, when: string): Row {
  const most = HOT_PROCESSES.includes(name) ? MAX_HOT_BYTES : MAX_NODE_BYTES;
  return {
    name: `most memory of ${name} ${when}`,
    figure: inMebibytes(bytes),
    target: `≤ ${inMebibytes(most)}`,
    isMet: bytes <= most,
  };
}
