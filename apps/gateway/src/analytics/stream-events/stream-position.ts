import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SigningKey } from '../../credentials/runtime-token.js';

/** The next offset of each partition; one that is missing was not there yet, and counts from 0. */
export type StreamPosition = readonly number[];

/** What an id of a frame says. */
export interface NamedPosition {
  readonly position: StreamPosition;
  /** When the frame was sent, in epoch milliseconds. */
  readonly sentMs: number;
}

const FORM = 1;
const TIME_BYTES = 6;
const SIGNATURE_BYTES = 12;
const MAX_ID_CHARACTERS = 200;
const MAX_BYTES = Math.floor((MAX_ID_CHARACTERS * 3) / 4);
const ID = /^[A-Za-z0-9_-]{20,200}$/;
const PURPOSE = 'truetally live stream';
const SEVEN_BITS = 128;

/**
 * Ids of the frames of a live stream: the next offset of every partition, signed for one site with the keys that all gateways
 * share, so that each of them can go on, and none seeks where a stranger tells it to.
 */
export class PositionIds {
  constructor(private readonly keys: readonly [SigningKey, ...SigningKey[]]) {}

  /** At most 200 characters. Of more partitions than fit (docs/limits.md) it names none, and nothing goes on from it. */
  write(siteId: string, { position, sentMs }: NamedPosition): string {
    const whole = bytesOf(position, sentMs);
    const bytes = whole.length + SIGNATURE_BYTES <= MAX_BYTES ? whole : bytesOf([], sentMs);
    return Buffer.concat([bytes, signature(this.keys[0], siteId, bytes)]).toString('base64url');
  }

  /** Undefined for what no gateway wrote for this site, and for an id that names no position. */
  read(siteId: string, id: string): NamedPosition | undefined {
    if (!ID.test(id)) return undefined;
    const all = Buffer.from(id, 'base64url');
    const bytes = all.subarray(0, -SIGNATURE_BYTES);
    const given = all.subarray(-SIGNATURE_BYTES);
    const isOurs = this.keys.some((key) => timingSafeEqual(given, signature(key, siteId, bytes)));
    if (!isOurs || bytes[0] !== FORM) return undefined;
    const position = numbersIn(bytes.subarray(1 + TIME_BYTES));
    return position.length === 0 ? undefined : { position, sentMs: bytes.readUIntBE(1, TIME_BYTES) };
  }
}

/** The later of both, partition by partition. */
export function laterOf(one: StreamPosition, other: StreamPosition): StreamPosition {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, partition) => Math.max(one[partition] ?? 0, other[partition] ?? 0));
}

/** Whether every partition of `position` is at or behind that of `bound`. */
export function isWithin(position: StreamPosition, bound: StreamPosition): boolean {
  return position.every((next, partition) => next <= (bound[partition] ?? 0));
}

function signature({ secret }: SigningKey, siteId: string, bytes: Buffer): Buffer {
  const hmac = createHmac('sha256', secret).update(PURPOSE).update(siteId).update(bytes);
  return hmac.digest().subarray(0, SIGNATURE_BYTES);
}

function bytesOf(position: StreamPosition, sentMs: number): Buffer {
  const head = Buffer.alloc(1 + TIME_BYTES);
  head[0] = FORM;
  head.writeUIntBE(sentMs, 1, TIME_BYTES);
  const offsets: number[] = [];
  for (const next of position) {
    let rest = next;
    for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS))
      offsets.push((rest % SEVEN_BITS) + SEVEN_BITS);
    offsets.push(rest);
  }
  return Buffer.concat([head, Buffer.from(offsets)]);
}

/** The inverse of the above; its input was signed by a gateway. */
function numbersIn(bytes: Buffer): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  let weight = 1;
  for (const byte of bytes) {
    number += (byte % SEVEN_BITS) * weight;
    weight *= SEVEN_BITS;
    if (byte >= SEVEN_BITS) continue;
    numbers.push(number);
    number = 0;
    weight = 1;
  }
  return numbers;
}
