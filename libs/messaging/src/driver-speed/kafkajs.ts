import { createRequire } from 'node:module';
import type Kafkajs from 'kafkajs';
import { crc32c } from './crc32c.js';
import { encodeRecord } from './encode-record.js';
import { groupByPartition } from './group-by-partition.js';

/**
 * The driver with three of its inner functions replaced before it loads (docs/decisions/driver-speed.md): they took
 * half of the processor time of a busy ingestion. The version is pinned, and a test holds each to what it replaces.
 */
const REPLACEMENTS: readonly (readonly [string, unknown])[] = [
  ['kafkajs/src/protocol/recordBatch/record/v0/index.js', encodeRecord],
  ['kafkajs/src/protocol/recordBatch/crc32C/index.js', crc32c],
  ['kafkajs/src/producer/groupMessagesPerPartition.js', groupByPartition],
];

const require = createRequire(import.meta.url);

for (const [path, exports] of REPLACEMENTS) {
  require(path);
  const loaded = require.cache[require.resolve(path)];
  if (loaded !== undefined) loaded.exports = exports;
}

export const kafkajs = require('kafkajs') as typeof Kafkajs;
