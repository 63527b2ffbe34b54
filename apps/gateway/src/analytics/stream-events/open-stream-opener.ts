import type { GatewayFoundation } from '../../core/gateway-foundation.js';
import { EventTail } from './event-tail.js';
import type { OpenStreams } from './open-streams.js';
import { StreamOpener } from './stream-opener.js';
import { PositionIds } from './stream-position.js';

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
  closing.add(() => tail.close());
  return new StreamOpener({ tail, streams, ids: new PositionIds(config.RUNTIME_TOKEN_KEYS), log });
}
