import { createRequire } from 'node:module';
import type Kafkajs from 'kafkajs';
import { begunAfresh, type ConnectionClass as BrokenConnectionClass } from './broken-connections.js';
import { decodeBatches } from './decode-batch.js';
import { type DriverProduce, encodeProduce, isPlainProduce } from './encode-produce.js';
import { encodeRequest } from './encode-request.js';
import { groupByPartition } from './group-by-partition.js';
import { type ConsumerGroupClass, fetchesThatEnd } from './open-fetches.js';
import { type ConnectionClass, withoutEmptyRests } from './whole-answers.js';
import { type RequestQueueClass, idleWithoutRequests } from './request-queue.js';

/**
 * The driver with some of its inner functions replaced before it loads (docs/decisions/driver-speed.md): they
 * used most of the processor time of a busy ingestion. The version is pinned, and a test compares each with
 * the original.
 */
const require = createRequire(import.meta.url);

replace('kafkajs/src/producer/groupMessagesPerPartition.js', () => groupByPartition);
replace('kafkajs/src/protocol/request.js', () => encodeRequest);
replace('kafkajs/src/protocol/recordBatch/v0/decoder.js', decodeBatches);
replace('kafkajs/src/network/requestQueue/index.js', idleWithoutRequests<RequestQueueClass>);
replace('kafkajs/src/network/connection.js', (connection: BrokenConnectionClass & ConnectionClass) =>
  begunAfresh(withoutEmptyRests(connection)),
);
replace('kafkajs/src/consumer/consumerGroup.js', fetchesThatEnd<ConsumerGroupClass>);
replace(
  'kafkajs/src/protocol/requests/produce/v3/request.js',
  (original: ProduceModule) => (produce: DriverProduce) => ({
    ...original(produce),
    ...(isPlainProduce(produce) && { encode: () => Promise.resolve(encodeProduce(produce, Date.now())) }),
  }),
);

export const kafkajs = require('kafkajs') as typeof Kafkajs;

type ProduceModule = (produce: DriverProduce) => object;

/** Loads a module of the driver, and makes later imports receive a replacement. */
function replace<M>(path: string, replacement: (original: M) => unknown): void {
  const original = require(path) as M;
  const loaded = require.cache[require.resolve(path)];
  if (loaded !== undefined) loaded.exports = replacement(original);
}
