/** Kafka's numbers of the two requests whose rate follows the load; the others are for metadata and groups. */
const API_NAMES: Readonly<Record<number, KafkaApi>> = { 0: 'produce', 1: 'fetch' };

export type KafkaApi = 'produce' | 'fetch' | 'other';

const counts: Record<KafkaApi, number> = { produce: 0, fetch: 0, other: 0 };

/** @param apiKey Kafka's number of the request's kind */
export function countRequest(apiKey: number): void {
  counts[API_NAMES[apiKey] ?? 'other']++;
}

/** The requests that this process has sent to Kafka's brokers, by kind. */
export function kafkaRequests(): Readonly<Record<KafkaApi, number>> {
  return counts;
}
