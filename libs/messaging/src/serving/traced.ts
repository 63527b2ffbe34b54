import { formatAddress } from '@truetally/kernel';
import { type Span, type Tracing, whileActive } from '@truetally/tracing';
import { type IncomingRequest } from '../wire.js';
import { describeError } from '../errors.js';
import { type Handle } from './handlers.js';

/**
 * Gives each traced request its own span for the handler call, also where the call handles several: each
 * trace shows how long its request was handled, and with how many others.
 */
export function traced(tracing: Tracing, group: string, handle: Handle): Handle {
  return async (requests) => {
    const spans = spansOf(tracing, group, requests);
    if (spans.length === 0) return handle(requests);
    try {
      const outcomes = await whileActive(tracing, spans, () => handle(requests));
      for (const span of spans) span.end();
      return outcomes;
    } catch (error) {
      for (const span of spans) span.end({}, describeError(error));
      throw error;
    }
  };
}

function spansOf(tracing: Tracing, group: string, requests: readonly IncomingRequest[]): readonly Span[] {
  const spans: Span[] = [];
  for (const request of requests) {
    const { topic, partition, offset, requestId = '', traceparent } = request;
    if (traceparent === undefined) continue;
    const span = tracing.below('consumer', `handle ${formatAddress(request)}`, traceparent, {
      'messaging.system': 'kafka',
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': String(partition),
      'messaging.kafka.offset': offset,
      'messaging.consumer.group.name': group,
      'messaging.batch.message_count': requests.length,
      'truetally.request_id': requestId,
    });
    if (span !== undefined) spans.push(span);
  }
  return spans;
}
