import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { crc32c } from './crc32c.js';
import { type DriverProduce, encodeProduce, isPlainProduce } from './encode-produce.js';
import { type DriverRecord } from './encode-record.js';
import { type DriverRequest, encodeRequest } from './encode-request.js';
import { groupByPartition } from './group-by-partition.js';
import { murmur2 } from './murmur2.js';
import { originalDriver } from '../testing/original-driver.js';

const driver = originalDriver((require) => ({
  produce: require('kafkajs/src/protocol/requests/produce/v7/request.js') as (
    produce: DriverProduce,
  ) => DriverRequest['request'],
  request: require('kafkajs/src/protocol/request.js') as (
    request: DriverRequest,
  ) => Promise<{ readonly buffer: Buffer }>,
  crc32c: require('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (bytes: Buffer) => number,
  murmur2: require('kafkajs/src/producer/partitioners/default/murmur2.js') as (key: Buffer) => number,
  metadata: require('kafkajs/src/protocol/requests/metadata/v6/request.js') as (
    options: object,
  ) => DriverRequest['request'],
  group: require('kafkajs/src/producer/groupMessagesPerPartition.js') as (grouping: object) => object,
}));

const NOW = 1_769_851_800_123;
const buffers = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const texts = fc.string({ unit: anyCharacter, maxLength: 200 });
const bytes = fc.oneof(buffers, texts);
const records: fc.Arbitrary<DriverRecord> = fc.record(
  {
    key: fc.option(bytes),
    value: fc.option(bytes),
    headers: fc.dictionary(texts, fc.oneof(bytes, fc.array(bytes, { maxLength: 3 })), { maxKeys: 8 }),
  },
  { requiredKeys: [] },
);
const produces: fc.Arbitrary<DriverProduce> = fc.record({
  acks: fc.constantFrom(-1, 0, 1),
  timeout: fc.nat(100_000),
  transactionalId: fc.option(texts),
  producerId: fc.option(fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }).map(String), { nil: undefined }),
  producerEpoch: fc.nat(100),
  topicData: fc.array(
    fc.record({
      topic: texts,
      partitions: fc.array(
        fc.record({
          partition: fc.nat(100),
          firstSequence: fc.nat(1_000),
          messages: fc.array(records, { minLength: 1, maxLength: 20 }),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  ),
});

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Both encodings of a produce request. */
async function bothRequests(produce: DriverProduce, correlationId = 1, clientId = 'client') {
  const request = driver.produce(produce);
  const theirs = await driver.request({ correlationId, clientId, request });
  const encode = () => Promise.resolve(encodeProduce(produce, NOW));
  const own = await encodeRequest({ correlationId, clientId, request: { ...request, encode } });
  return { own: own.buffer, theirs: theirs.buffer };
}

function produceOf(...messages: DriverRecord[]): DriverProduce {
  return { acks: -1, timeout: 1, topicData: [{ topic: 'a', partitions: [{ partition: 0, messages }] }] };
}

describe('replacements of the driver’s inner functions have the same results', () => {
  it('produce requests, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(produces, fc.nat(), texts, async (produce, correlationId, clientId) => {
        const { own, theirs } = await bothRequests(produce, correlationId, clientId);
        expect(own.equals(theirs)).toBe(true);
        const encode = () => Promise.resolve(encodeProduce(produce, NOW));
        const request = { ...driver.produce(produce), encode };
        const mixed = await driver.request({ correlationId, clientId, request });
        expect(mixed.buffer.equals(theirs)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('the body of a produce request has no getter of its own, which would keep its messages', () => {
    const own = Object.values(Object.getOwnPropertyDescriptors(encodeProduce(produceOf({}), NOW)));
    expect(own.filter(({ get }) => get !== undefined)).toEqual([]);
  });

  it.each([0, 1, 63, 64, 127, 128, 8_191, 8_192, 16_384, 1_048_575, 1_048_576, 2_097_152])(
    'a record whose value has %d bytes, where the length of its length changes',
    async (length) => {
      const { own, theirs } = await bothRequests(produceOf({ value: Buffer.alloc(length, 7) }));
      expect(own.equals(theirs)).toBe(true);
    },
  );

  it('a batch of so many records that their positions grow longer', async () => {
    const { own, theirs } = await bothRequests(produceOf(...Array.from({ length: 9_000 }, () => ({}))));
    expect(own.equals(theirs)).toBe(true);
  });

  it('other requests, byte for byte', async () => {
    const options = {
      correlationId: 7,
      clientId: 'client',
      request: driver.metadata({ topics: ['a', 'b'] }),
    };
    const own = await encodeRequest(options);
    expect(own.buffer.equals((await driver.request(options)).buffer)).toBe(true);
  });

  it.each([
    { compression: 1 },
    { topicData: [{ topic: '', partitions: [{ partition: 0, messages: [{ timestamp: '1' }] }] }] },
  ])('leave features that this product does not use to the driver: %j', (unusual) => {
    const produce = { ...produceOf({}), producerId: '-1' };
    expect(isPlainProduce(produce)).toBe(true);
    expect(isPlainProduce({ ...produce, ...unusual })).toBe(false);
  });

  it('checksums, also at every alignment', () => {
    fc.assert(fc.property(buffers, (buffer) => expect(crc32c(buffer)).toBe(driver.crc32c(buffer))));
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('hashes of keys', () => {
    fc.assert(
      fc.property(buffers, (key) => expect(murmur2(key)).toBe(driver.murmur2(key))),
      { numRuns: 1_000 },
    );
  });

  it('groups of messages', () => {
    const messages = fc.array(fc.record({ partition: fc.nat(5), key: fc.string() }));
    fc.assert(
      fc.property(messages, (list) => {
        const grouping = {
          topic: 'topic',
          partitionMetadata: [1],
          messages: list,
          partitioner: ({ message }: { message: { partition: number } }) => message.partition,
        };
        expect(groupByPartition(grouping)).toEqual(driver.group(grouping));
      }),
    );
    expect(
      groupByPartition({ topic: '', partitionMetadata: [], messages: [{ key: '' }], partitioner: () => 0 }),
    ).toEqual({});
  });

  it('groups keep all messages without a key on one partition, and choose each of them in the end', () => {
    const chosen = new Set<string>();
    const messages = [{ key: null }, { key: 'a' }, { key: null }];
    while (chosen.size < 3) {
      const groups = groupByPartition({
        topic: 'topic',
        partitionMetadata: [0, 1, 2],
        messages,
        partitioner: () => 7,
      });
      expect(groups[7]).toEqual([{ key: 'a' }]);
      const [[partition, unkeyed] = []] = Object.entries(groups).filter(([name]) => name !== '7');
      expect(unkeyed).toEqual([{ key: null }, { key: null }]);
      chosen.add(partition ?? '');
    }
    expect([...chosen].toSorted()).toEqual(['0', '1', '2']);
  });
});
