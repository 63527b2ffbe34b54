import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cluster } from 'kafkajs';
import { breakOff, type Connection } from './broken-connections.js';
import { inStep } from './pulse.js';

/** What a fetch waits for at the broker, and how long at most. */
export interface Waiting {
  readonly minBytes: number;
  readonly waitMs: number;
}

/** The relevant part of the driver's member of a group. */
interface ConsumerGroup {
  readonly cluster: Cluster;
  /** Null while it is in no group. */
  readonly memberId: string | null;
  readonly generationId: number | null;
  /** To which it sends heartbeats: of the newest join, also of one that was refused. */
  readonly coordinator: unknown;
  /** Made by each whole join, which gives it partitions; commits. */
  readonly offsetManager: { readonly memberId: string; readonly generationId: number; coordinator: unknown };
  minBytes: number;
  maxWaitTime: number;
  /** When it sent the last heartbeat, in epoch milliseconds. */
  lastRequest: number;
  /** Sends one unless the last is younger; rejects when the group changes. */
  heartbeat(options: { readonly interval: number }): Promise<void>;
  fetch(nodeId: number): Promise<readonly FetchedBatch[]>;
  recoverFromFetch(error: unknown): Promise<void>;
}

/** What an answer has of a partition. */
interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly unknown[];
  /** With those that are not for readers: markers of transactions. */
  readonly rawMessages: readonly unknown[];
}

export type ConsumerGroupClass = abstract new (...options: never[]) => ConsumerGroup;

/** What its types leave out. */
interface Connected {
  readonly brokerPool: {
    readonly brokers: Readonly<Record<string, { readonly connectionPool: { readonly pool: Connection[] } }>>;
  };
}

/** The driver sends its fetches on a connection of their own. */
const FETCHES = 1;
/** A table whose last records are gone is known to be read after two fetches without messages of each broker. */
const QUIET_FETCHES = 3;

class FetchEndedError extends Error {}

/** For the driver, which joins its group again. */
class HalfJoinedError extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';
}

/** The fetches of one consumer that wait at the brokers. */
export class OpenFetches {
  private ends = new Set<() => void>();
  private isBusy = false;
  /** Fetches without messages since the last with some, by their brokers' ids. */
  private readonly emptyCounts = new Map<number, number>();

  constructor(
    private readonly cluster: Cluster,
    private readonly waiting: {
      readonly whenIdle: Waiting;
      /** While each fetch finds messages. */
      readonly whenBusy: Waiting;
      /** Behind three fetches of a broker without messages. */
      readonly whenQuiet: Waiting;
      /** While a fetch waits, its member shows so often that it lives. */
      readonly heartbeatMs: () => number;
      /** An answer had nothing of this partition, and would have had it. The driver asks for them in another order each time. */
      readonly onNothing: (topic: string, partition: number) => void;
    },
  ) {
    OF_CLUSTER.set(cluster, this);
  }

  /**
   * Ends them at once, without messages. Their connections close: a broker answers the next request of a connection
   * only behind the one before.
   */
  end(): void {
    for (const end of this.ends) end();
    for (const { connectionPool } of Object.values(
      (this.cluster as Cluster & Connected).brokerPool.brokers,
    )) {
      const connection = connectionPool.pool[FETCHES];
      if (connection === undefined || connection.requestQueue.inflight.size === 0) continue;
      breakOff(connection, new FetchEndedError());
    }
  }

  /**
   * For the driver, which works on every partition of an answer as long as on one with messages: those without any are
   * left out.
   */
  async fetch(
    group: ConsumerGroup,
    nodeId: number,
    fetch: () => Promise<readonly FetchedBatch[]>,
  ): Promise<readonly FetchedBatch[]> {
    const emptyCount = this.emptyCounts.get(nodeId) ?? 0;
    const { minBytes, waitMs } = this.now(emptyCount);
    group.minBytes = minBytes;
    group.maxWaitTime = waitMs;
    const endBeats = this.beat(group);
    try {
      const answered = await this.endable(fetch);
      const batches = answered.filter(({ rawMessages }) => rawMessages.length > 0);
      for (const { topic, partition, rawMessages } of answered) {
        // Records leave less room for partitions behind them: nothing may only mean that what is there did not fit.
        if (rawMessages.length > 0) break;
        this.waiting.onNothing(topic, partition);
      }
      this.isBusy = batches.some(({ messages }) => messages.length > 0);
      if (this.isBusy) this.emptyCounts.clear();
      else this.emptyCounts.set(nodeId, emptyCount + 1);
      return batches;
    } finally {
      endBeats();
    }
  }

  private now(emptyCount: number): Waiting {
    const { whenBusy, whenIdle, whenQuiet } = this.waiting;
    if (this.isBusy) return whenBusy;
    return emptyCount < QUIET_FETCHES ? whenIdle : whenQuiet;
  }

  /** The driver beats between fetches only. A group that changes ends them: then it beats, is told, and joins again. */
  private beat(group: ConsumerGroup): () => void {
    return inStep(this.waiting.heartbeatMs(), () => {
      // However young the last one is: the next time is a whole interval away.
      group.heartbeat({ interval: 0 }).catch(() => {
        // The driver's own heartbeat, which learns of the change, is due at once.
        group.lastRequest = 0;
        this.end();
      });
    });
  }

  private endable(fetch: () => Promise<readonly FetchedBatch[]>): Promise<readonly FetchedBatch[]> {
    return new Promise((resolve, reject) => {
      let isEnded = false;
      const end = (): void => {
        isEnded = true;
        resolve([]);
      };
      this.ends.add(end);
      this.begun()
        .then(() => (isEnded ? [] : fetch()))
        .then(resolve, reject)
        .finally(() => {
          this.ends.delete(end);
          // Former tables of the set lead to its messages (`request-queue.ts`).
          this.ends = new Set(this.ends);
        });
    });
  }

  /** Somebody waits for what the last fetch brought, and nobody for the next one: handling begins first. */
  private async begun(): Promise<void> {
    if (this.isBusy) await nextTurn();
  }
}

const OF_CLUSTER = new WeakMap<Cluster, OpenFetches>();

/**
 * An idle consumer stops, and leaves its group, only when its last fetch ends: with few long fetches that takes
 * seconds. This patch lets them end (`OpenFetches`), and members live on where the machine's clock is set back.
 *
 * And a member that has lost its group, and whose new join was refused for a reason that may pass (the coordinator moves while it
 * starts), joins again. The driver's would read its former partitions for ever, without a heartbeat that could tell it, while its
 * commits are refused. Where a member that still has its group was refused so, the driver sends heartbeats to the coordinator that it
 * has found, and commits to the former one, which would refuse them until the next join: commits go to the same one.
 */
export function fetchesThatEnd<C extends ConsumerGroupClass>(consumerGroup: C): C {
  const prototype = consumerGroup.prototype as ConsumerGroup;
  const { fetch, heartbeat, recoverFromFetch } = prototype;
  prototype.heartbeat = function (options) {
    // A clock that was set back: the driver would show no sign of life until it has caught up, and lose its group.
    if (this.lastRequest > Date.now()) this.lastRequest = 0;
    return heartbeat.call(this, options);
  };
  prototype.fetch = async function (nodeId) {
    const { memberId, generationId, offsetManager: joined } = this;
    if (joined.memberId !== memberId || joined.generationId !== generationId) throw new HalfJoinedError();
    joined.coordinator = this.coordinator;
    const own = (): Promise<readonly FetchedBatch[]> => fetch.call(this, nodeId);
    return OF_CLUSTER.get(this.cluster)?.fetch(this, nodeId, own) ?? own();
  };
  prototype.recoverFromFetch = async function (error) {
    if (!(error instanceof FetchEndedError)) await recoverFromFetch.call(this, error);
  };
  return consumerGroup;
}
