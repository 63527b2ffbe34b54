import { type KafkaMessage } from 'kafkajs';
import { type OffsetTracker, type Ticket } from './offset-tracker.js';

/** One message in progress: fetched, and unfinished until its offset may be committed. */
export interface Work<T> {
  readonly item: T;
  readonly ticket: Ticket;
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  readonly weight: number;
  readonly bytes: number;
  /** A lane has at most one message in progress; undefined is no lane. */
  readonly lane: string | undefined;
  /** Whose messages share places with each other; undefined is nobody's. */
  readonly holder?: string | undefined;
  readonly tracker: OffsetTracker;
}
