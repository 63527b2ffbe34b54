import { createPool } from '@truetally/persistence';
import type { GatewayFoundation } from '../../core/gateway-foundation.js';
import { EventTail } from './event-tail.js';
import { type OpenStreams, STREAM_LIMITS } from './open-streams.js';
import { SharedPlaces } from './shared-places.js';
import { StreamOpener } from './stream-opener.js';
import { PositionIds } from './stream-position.js';

const PLACE_TIMEOUT_MS = 3_000;

/** Live streams over the facts of this gateway's Kafka. */
export function openStreamOpener(
  { messaging, log, config, closing }: GatewayFoundation,
  streams: OpenStreams,
): StreamOpener {
  const tail = new EventTail({
    messaging,
    log,
    onReplaced: () => {
      streams.cut();
    },
  });
  // Of its own, and only while somebody reads: its session has the locks of the streams.
  const pool = createPool({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    applicationName: config.INSTANCE_ID,
    max: 1,
    statementTimeoutMs: PLACE_TIMEOUT_MS,
  });
  closing.add(async () => {
    await tail.close();
    places.close();
    await pool.end();
  });
  const places = new SharedPlaces(pool, STREAM_LIMITS.ofCaller);
  return new StreamOpener({ tail, streams, places, ids: new PositionIds(config.RUNTIME_TOKEN_KEYS), log });
}
