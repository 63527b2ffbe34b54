import { setTimeout as delay } from 'node:timers/promises';
import { kafkaRequests } from './kafka-requests.js';
import { processorTime } from './processor-time.js';
import type { Row } from './report.js';
import type { Durations, Target } from './scenarios.js';

const MICROSECONDS_PER_SECOND = 1_000_000;
const MS_PER_SECOND = 1_000;
const MOST_OF_A_CORE = 0.05;
/** A process that has just started compiles, and a broker that has forms its groups. */
const SETTLING_SECONDS = 10;

/** What the product costs while nobody asks it anything. */
export async function idleRows(target: Target, { measureSeconds }: Durations): Promise<Row[]> {
  await delay(SETTLING_SECONDS * MS_PER_SECOND);
  const seconds = 2 * measureSeconds;
  const rest = (): Promise<void> => delay(seconds * MS_PER_SECOND);
  // Outside of what is measured: the gateway's metrics ask Kafka how far every group has read.
  const {
    result: { spent, inAll },
    requests,
  } = await kafkaRequests(target.operations(), () => processorTime(target.processes(), rest));
  const parts = Object.entries(spent)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, microseconds]) => `${name} ${(microseconds / seconds / MS_PER_SECOND).toFixed(1)}`);
  const cores = inAll / seconds / MICROSECONDS_PER_SECOND;
  return [
    {
      name: 'the idle stack: processor time',
      figure: `${cores.toFixed(3)} of a core; in ms a second: ${parts.join(', ')}`,
      target: `≤ ${MOST_OF_A_CORE}`,
      isMet: cores <= MOST_OF_A_CORE,
    },
    requests,
  ];
}
