import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { type LocalService } from '@truetally/processes';
import { type Arena } from '../arena.js';
import { CUT, type Load, REFUSED, TIMEOUT } from '../load.js';
import { type Scenario } from '../scenario.js';

/** One of two replicas is stopped during requests, and restarted. */
const TERMINATED = SERVICE_NAMES.map((service): Scenario => {
  return {
    name: `sigterm-${service}`,
    what: `one of two replicas of ${service} gets SIGTERM, and is started again`,
    brokers: 1,
    // Requests to the stopped gateway fail to connect; requests in progress are answered.
    mayFail: service === 'gateway' ? [REFUSED] : [],
    run: async (arena, load, { answers }) => {
      const replica = firstOf(arena, service);
      load.mark();
      await terminate(replica);
      await load.recovered();
      await replica.restart();
      await load.more(answers);
    },
  };
});

const KILLED = SERVICE_NAMES.map((service): Scenario => {
  return {
    name: `kill-${service}`,
    what: `one of two replicas of ${service} gets SIGKILL, and is started again`,
    brokers: 1,
    mayFail: service === 'gateway' ? [REFUSED, CUT] : [],
    run: async (arena, load, { answers }) => {
      const replica = firstOf(arena, service);
      load.mark();
      await replica.kill('SIGKILL');
      await load.recovered();
      await replica.restart();
      await load.more(answers);
    },
  };
});

export const STOPPED = SERVICE_NAMES.map((service): Scenario => {
  return {
    name: `stopped-${service}`,
    what: `one of two replicas of ${service} is stopped (SIGSTOP) until the other has taken over, and continues`,
    brokers: 1,
    mayFail: service === 'gateway' ? [TIMEOUT] : [],
    run: async (arena, load, { answers }) => {
      const replica = firstOf(arena, service);
      const gateway = arena.product.gateways.find((one) => one === replica);
      load.mark();
      await replica.kill('SIGSTOP');
      // Like a load balancer whose probe fails.
      if (gateway !== undefined) arena.rotation.takeOut(gateway);
      await load.recovered();
      await replica.kill('SIGCONT');
      if (gateway !== undefined) arena.rotation.putBack(gateway);
      await load.more(answers);
    },
  };
});

const ROLLING_RESTART: Scenario = {
  name: 'rolling-restart',
  what: 'both replicas of every service are restarted in turn',
  brokers: 1,
  mayFail: [],
  run: async (arena, load, { services }) => {
    for (const service of services)
      for (const replica of arena.product.processes(service)) await restartOne(arena, replica, load);
  },
};

/** After its `preStop` delay, a gateway has few requests in progress. */
const ANSWERS_BEFORE_STOP = 24;

/** Like an orchestrator: a gateway leaves the balancer before it is stopped. */
export async function restartOne(arena: Arena, replica: LocalService, load: Load): Promise<void> {
  const gateway = arena.product.gateways.find((one) => one === replica);
  load.mark();
  if (gateway !== undefined) {
    arena.rotation.takeOut(gateway);
    await load.more(ANSWERS_BEFORE_STOP);
  }
  await terminate(replica);
  await replica.restart();
  if (gateway !== undefined) arena.rotation.putBack(gateway);
  await load.recovered();
}

/** @throws when it does not end by itself, with 0 */
export async function terminate(service: LocalService): Promise<void> {
  await service.kill('SIGTERM');
  const { code, signal } = await service.exited;
  if (code !== 0) {
    throw new Error(`${service.app} ended with ${String(code ?? signal)} after SIGTERM:\n${service.tail()}`);
  }
}

export function firstOf({ product }: Pick<Arena, 'product'>, service: ServiceName): LocalService {
  const [first] = product.processes(service);
  if (first === undefined) throw new Error(`No ${service} runs.`);
  return first;
}

export const PROCESSES: readonly Scenario[] = [...TERMINATED, ROLLING_RESTART, ...KILLED, ...STOPPED];
