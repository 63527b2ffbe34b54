import { setTimeout as pause } from 'node:timers/promises';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { type LocalService } from '@truetally/processes';
import { type Arena } from '../arena.js';
import { type Load } from '../load.js';
import { type Scenario } from '../scenario.js';
import { beginUpload, type Upload } from '../slow-upload.js';
import { terminate } from './processes.js';

/** As in the chart: a pod that ends answers for so long, while endpoints are told. */
const PRE_STOP_MS = 5_000;

/** Kafka, then Postgres, behind a balancer that would answer by itself if no gateway were ready. */
export const BALANCER: Scenario = {
  name: 'balancer',
  what: 'the only broker, then Postgres, is away behind a balancer that obeys readiness',
  brokers: 1,
  isBalanced: true,
  mayFail: [],
  run: async (arena, load, { answers }) => {
    const [broker] = arena.kafka;
    if (broker === undefined) throw new Error('There is no broker.');
    for (const server of [broker, arena.postgres]) {
      await server.kill('SIGKILL');
      await load.felt();
      // Long enough for probes to fail, if they asked for dependencies.
      await load.felt();
      await pause(PRE_STOP_MS);
      if (arena.balancer.size !== arena.product.gateways.length) throw new Error('A gateway is not ready.');
      await server.restart();
      load.mark();
      await load.recovered();
      await load.more(answers);
    }
  },
};

/** Every process is replaced as Kubernetes does it: a new one is ready before an old one ends, with the deployed timeouts. */
export const ROLLOUTS: Scenario = {
  name: 'rollouts',
  what: 'every process of every service is replaced behind a balancer, with the deployed timeouts; pictures are uploaded meanwhile',
  brokers: 1,
  isBalanced: true,
  mayFail: [],
  run: async (arena, load, { services }) => {
    for (const service of SERVICE_NAMES.filter((name) => services.includes(name))) {
      for (const old of [...arena.product.processes(service)]) await replace(arena, load, service, old);
    }
  },
};

async function replace(arena: Arena, load: Load, service: ServiceName, old: LocalService): Promise<void> {
  const { product, balancer, shop } = arena;
  load.mark();
  await product.add(service);
  const gateway = product.gateways.find((one) => one === old);
  let upload: Upload | undefined;
  if (gateway !== undefined) {
    const newest = product.gateways.at(-1);
    if (newest !== undefined) await balancer.serves(newest);
    upload = await beginUpload(`${gateway.baseUrl}/media`, shop);
    product.forget(old);
    balancer.leave(gateway);
  }
  await pause(PRE_STOP_MS);
  const ended = terminate(old);
  // The rest of the picture arrives while its gateway stops.
  await pause(PRE_STOP_MS);
  const status = await upload?.finish();
  if (status !== undefined && status !== CREATED)
    throw new Error(`The upload under way was answered ${status}.`);
  await ended;
  product.forget(old);
  await load.recovered();
}

const CREATED = 201;
