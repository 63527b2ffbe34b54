import { type KafkaMessage } from 'kafkajs';
import { type TopicFeed, TopicReader } from '../consuming/topic-reader.js';
import { pause } from '../delay.js';
import { describeError } from '../errors.js';
import { TABLE_PARTITION_BYTES, TABLE_QUIET_FETCHES, TABLE_QUIET_MS } from '../limits.js';
import { type Messaging } from '../messaging.js';
import { incarnationOf } from './incarnation.js';

/** Which compacted topic to read, and what receives its records. */
export interface CompactedTableOptions {
  /** Without prefix. */
  readonly topic: string;
  /**
   * The latest value of a key; null when it is deleted. Called in the order of a partition's log; repetitions are possible.
   * @param incarnation of the database that the state comes from (`Revision`)
   */
  apply(key: string, value: string | null, incarnation: number): void;
  /**
   * Access to the reader's state. Without it, keys that were deleted while Kafka was unreachable may stay.
   */
  readonly held?: {
    /** All keys in the reader's state. */
    keys(): Iterable<string>;
    /** The topic no longer has that key. */
    forget(key: string): void;
  };
}

/**
 * Keeps the content of a compacted topic in memory, at most a second old. Kafka keeps tombstones for
 * `delete.retention.ms` only: a table that could not reach Kafka for half as long rereads the whole topic and
 * removes keys that the topic no longer has. A table whose log was replaced rereads too, but removes nothing,
 * because a restored Kafka may lack recent records until they are published again.
 */
export class CompactedTable {
  private reader: TableReader | undefined;
  /** Next offsets, by partition. */
  private readonly positions = new Map<number, number>();
  /** Of a partition: how often answers have had nothing of it since its last record, and since when. */
  private readonly quiet = new Map<number, { readonly sinceMs: number; readonly fetches: number }>();
  /** The state found by a full reread so far; undefined while the table follows the topic. */
  private found: Map<string, State> | undefined;
  private isSwept = false;
  private isClosed = false;

  private constructor(
    private readonly messaging: Messaging,
    private readonly options: CompactedTableOptions,
  ) {}

  /** Resolves when all records have been applied that the topic had at the call. The topic must exist. */
  static async open(messaging: Messaging, options: CompactedTableOptions): Promise<CompactedTable> {
    const table = new CompactedTable(messaging, options);
    await CompactedTable.read(messaging, [table]);
    return table;
  }

  /** The same for several tables of a process: one consumer reads all of them. */
  static async openAll(
    messaging: Messaging,
    all: readonly CompactedTableOptions[],
  ): Promise<readonly CompactedTable[]> {
    const tables = all.map((options) => new CompactedTable(messaging, options));
    await CompactedTable.read(messaging, tables);
    return tables;
  }

  private static async read(messaging: Messaging, tables: readonly CompactedTable[]): Promise<void> {
    const ends = await Promise.all(tables.map((table) => table.ends()));
    const reader = new TableReader(messaging, tables);
    for (const table of tables) table.reader = reader;
    await reader.start();
    await Promise.all(tables.map((table, index) => table.caughtUp(ends[index] ?? new Map())));
  }

  /** For the reader. */
  feed(): TopicFeed {
    return {
      topic: this.options.topic,
      onMessages: (_partition, messages) => {
        this.applyAll(messages);
      },
      onPosition: (partition, nextOffset) => {
        this.positions.set(partition, nextOffset);
        this.quiet.delete(partition);
      },
      onNothing: (partition) => {
        const { sinceMs, fetches } = this.quiet.get(partition) ?? { sinceMs: performance.now(), fetches: 0 };
        this.quiet.set(partition, { sinceMs, fetches: fetches + 1 });
      },
      onStartOver: () => {
        this.readAgain({ isSwept: false });
      },
      onGap: (gapMs) => void this.bridge(gapMs),
    };
  }

  /** Whether it follows the topic; if not, its content may be stale. */
  healthy(): boolean {
    return this.found === undefined && this.reader?.isFollowing() === true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.reader?.release();
  }

  private applyAll(messages: readonly KafkaMessage[]): void {
    for (const { key, value, headers, offset } of messages) {
      if (key === null) continue;
      const name = key.toString();
      const state = { value: value?.toString() ?? null, incarnation: incarnationOf(headers) };
      if (this.found === undefined) this.apply(name, state, offset);
      // A key that was found before moves to the end, so that the order of the log is kept here too.
      this.found?.delete(name);
      this.found?.set(name, state);
    }
  }

  private apply(key: string, { value, incarnation }: State, offset?: string): void {
    const { topic, apply } = this.options;
    try {
      apply(key, value, incarnation);
    } catch (error) {
      // One unreadable record must not stop the others, above all the revocations behind it.
      this.messaging.onMetric('messaging_table_failures_total', 1, { topic });
      this.messaging.options.log.error({ topic, error: describeError(error), offset }, 'record not applied');
    }
  }

  /** After a time without Kafka: may tombstones have been removed meanwhile? */
  private async bridge(gapMs: number): Promise<void> {
    let deleteRetentionMs = 0;
    await this.messaging
      .untilDone('read the retention of tombstones', async () => {
        deleteRetentionMs = await deleteRetention(this.messaging, this.options.topic);
      })
      .catch(() => undefined);
    if (this.isClosed || gapMs < deleteRetentionMs * SAFE_SHARE) return;
    this.messaging.options.log.warn(
      { topic: this.options.topic, gapMs },
      'out of reach for too long, read anew',
    );
    this.reader?.startOver(this.options.topic);
    this.readAgain({ isSwept: true });
  }

  /** The table stays unchanged until everything has been read, and then changes at once. */
  private readAgain({ isSwept }: { readonly isSwept: boolean }): void {
    const isReading = this.found !== undefined;
    this.found = new Map();
    this.isSwept ||= isSwept;
    this.positions.clear();
    this.quiet.clear();
    // It fails as the process ends: what the table holds by then stays.
    if (!isReading) this.finishReading().catch(() => undefined);
  }

  private async finishReading(): Promise<void> {
    let { found } = this;
    do {
      found = this.found;
      await this.caughtUp(await this.ends());
      if (this.isClosed) return;
    } while (found !== this.found);
    this.found = undefined;
    for (const [key, state] of found ?? []) this.apply(key, state);
    if (this.isSwept) this.sweep(found ?? new Map());
    this.isSwept = false;
  }

  private sweep(found: ReadonlyMap<string, State>): void {
    const { held } = this.options;
    if (held === undefined) return;
    for (const key of [...held.keys()]) if (!found.has(key)) held.forget(key);
  }

  /** End offsets of the partitions that are not empty. */
  private async ends(): Promise<ReadonlyMap<number, number>> {
    const ends = new Map<number, number>();
    await this.messaging.untilDone('find the ends of a table', async () => {
      const topic = this.messaging.prefixed(this.options.topic);
      const offsets = await this.messaging.administer((admin) => admin.fetchTopicOffsets(topic));
      ends.clear();
      for (const { partition, high, low } of offsets) {
        if (Number(high) > Number(low)) ends.set(partition, Number(high));
      }
    });
    return ends;
  }

  private async caughtUp(ends: ReadonlyMap<number, number>): Promise<void> {
    const missing = (): readonly number[] =>
      [...ends].flatMap(([partition, end]) =>
        (this.positions.get(partition) ?? 0) < end ? [partition] : [],
      );
    for (let left = missing(); left.length > 0 && !this.isClosed; left = missing()) {
      if (this.isQuiet(left)) return;
      await pause(POLL_MS);
    }
  }

  /**
   * Whether the brokers have answered for these partitions, and none of their answers had a record: then missing last offsets do not
   * exist. One answer may be of a fetch that began before anything was asked for again.
   */
  private isQuiet(partitions: readonly number[]): boolean {
    const isQuiet = (partition: number): boolean => {
      const { sinceMs, fetches } = this.quiet.get(partition) ?? { sinceMs: Infinity, fetches: 0 };
      return performance.now() - sinceMs > TABLE_QUIET_MS && fetches >= TABLE_QUIET_FETCHES;
    };
    return this.reader?.isFollowing() === true && partitions.every(isQuiet);
  }
}

/** Reads the topics of one or more tables, until the last of them closes. */
class TableReader extends TopicReader {
  private open: number;

  constructor(messaging: Messaging, tables: readonly CompactedTable[]) {
    const feeds = tables.map((table) => table.feed());
    // The group's name has a topic, the first of them by name, so that permission to read that topic's table suffices.
    const [first] = feeds.map(({ topic }) => topic).toSorted();
    super(messaging, {
      feeds,
      group: `table.${first}.${messaging.options.instance}`,
      partitionBytes: TABLE_PARTITION_BYTES,
    });
    this.open = tables.length;
  }

  async release(): Promise<void> {
    this.open--;
    if (this.open === 0) await this.stop();
  }
}

/** The latest record of a key. */
interface State {
  readonly value: string | null;
  readonly incarnation: number;
}

/** Share of the tombstone retention that is safe: the rest covers clock skew and the reader's lag. */
const SAFE_SHARE = 0.5;
const CONFIG_RESOURCE_TOPIC = 2;

/** The minimum tombstone retention of a topic, in milliseconds. */
async function deleteRetention(messaging: Messaging, topic: string): Promise<number> {
  const name = messaging.prefixed(topic);
  const { resources } = await messaging.administer((admin) =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: CONFIG_RESOURCE_TOPIC, name, configNames: ['delete.retention.ms'] }],
    }),
  );
  return Number(resources[0]?.configEntries[0]?.configValue ?? 0);
}

/** How often to check whether the table has caught up. */
const POLL_MS = 10;
