import { SERVICE_NAMES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { type Scenario } from '../scenario.js';
import { firstOf, terminate } from './processes.js';

/** In the order of the chart: the migrations, then new processes of the services, then new gateways. */
export const TWO_VERSIONS: Scenario = {
  name: 'two-versions',
  what: 'the last release; the migrations of this one; then new processes replace the old ones, one by one',
  brokers: 1,
  isUpgrade: true,
  mayFail: [],
  run: async ({ product, rotation }, load, { answers }) => {
    load.mark();
    await product.upgrade(REPOSITORY_ROOT);
    await load.recovered();
    await load.more(answers);
    // One process of each service first, so that every service runs in both versions.
    for (let replica = 0; replica < REPLICAS; replica += 1) {
      for (const service of ORDER) {
        load.mark();
        const old = firstOf({ product }, service);
        await product.add(service);
        const gateway = product.gateways.find((one) => one === old);
        if (gateway !== undefined) {
          rotation.takeOut(gateway);
          await load.more(ANSWERS_BEFORE_STOP);
        }
        await terminate(old);
        product.forget(old);
        await load.recovered();
      }
      await load.more(answers);
    }
  },
};

const ORDER = SERVICE_NAMES.toSorted(
  (left, right) => Number(left === 'gateway') - Number(right === 'gateway'),
);
const REPLICAS = 2;
/** After its `preStop` delay, a gateway has few requests in progress. */
const ANSWERS_BEFORE_STOP = 24;
