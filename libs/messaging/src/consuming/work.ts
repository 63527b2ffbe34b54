import { type KafkaMessage } from 'kafkajs';
import { type OffsetTracker, type Ticket } from './offset-tracker.js';

/** One message in hand: fetched, and not finished until its offset may be committed. */
export interface Work<T> extends Ticket {
  readonly item: T;
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  readonly weight: number;
  readonly bytes: number;
  /** Of one lane only one message is at work; undefined is no lane. */
  readonly lane: string | undefined;
  readonly tracker: OffsetTracker;
}
