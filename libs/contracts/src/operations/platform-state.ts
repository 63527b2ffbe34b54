import { COUNT } from '../validation/forms.js';
import { MapOf, NonEmptyText, OneOf, WholeNumber } from '../validation/decorators.js';
import { flag, text } from '../validation/rules.js';

const NAME = { max: 300 };
const SETTING = { max: 10_000 };
const HEALTH_STATES = ['ok', 'degraded'] as const;

/** `data` of `GET /api/admin/health`. */
export class PlatformHealth {
  @OneOf(HEALTH_STATES) readonly status!: (typeof HEALTH_STATES)[number];
  /** Whether each answers. */
  @MapOf(flag) readonly dependencies!: Readonly<Record<string, boolean>>;
}

/** The lag of one group on one partition. */
export class ConsumerLag {
  @NonEmptyText(NAME) readonly group!: string;
  @NonEmptyText(NAME) readonly topic!: string;
  @WholeNumber(COUNT) readonly partition!: number;
  /** Messages. */
  @WholeNumber(COUNT) readonly lag!: number;
}

/** A topic on the brokers. */
export class TopicResource {
  @NonEmptyText(NAME) readonly topic!: string;
  @WholeNumber(COUNT) readonly partitions!: number;
  /** The lowest number over its partitions. */
  @WholeNumber(COUNT) readonly replication_factor!: number;
  @WholeNumber(COUNT) readonly min_insync_replicas!: number;
  /** Partitions with fewer copies in sync than they have. */
  @WholeNumber(COUNT) readonly under_replicated_partitions!: number;
  /** The topic's own, without the brokers' defaults. */
  @MapOf(text(SETTING)) readonly config!: Readonly<Record<string, string>>;
}
