/**
 * Where a request goes: a topic of its own, or one operation of a topic that carries many,
 * `<topic>/<operation>`. Kafka allows no slash in a topic's name.
 */
export interface Address {
  readonly topic: string;
  readonly operation?: string | undefined;
}

const SEPARATOR = '/';

export function formatAddress({ topic, operation }: Address): string {
  return operation === undefined ? topic : topic + SEPARATOR + operation;
}

export function readAddress(address: string): Address {
  const end = address.indexOf(SEPARATOR);
  return end < 0 ? { topic: address } : { topic: address.slice(0, end), operation: address.slice(end + 1) };
}
