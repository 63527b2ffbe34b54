import { type BasketEntry, entryText } from './basket.js';

export const KEY_BYTES = 16;

/** What the columns have of an event beside its ids. */
export interface EventFields {
  readonly siteId: string;
  readonly eventType: string;
  readonly device: string | null;
  readonly isBot: boolean;
  /** In microseconds since 1970. */
  readonly occurredMicros: number;
  /** In microseconds since 1970. */
  readonly receivedMicros: number;
  /** Place in the log: the order of a session's events of one instant. */
  readonly position: number;
  /** What its session did with products; nothing for most types. */
  readonly products: readonly BasketEntry[];
}

/**
 * What reports need of stored events, in columns: an event is named by its place. A fold has thousands of events and waits for
 * Postgres; as objects with texts of their own they were copied by each small collection meanwhile.
 */
export class EventColumns {
  /** Ids, and keys of sessions and requests, of 16 bytes each. */
  readonly eventIds: Buffer;
  readonly sessionKeys: Buffer;
  readonly requestKeys: Buffer;
  readonly occurredMicros: Float64Array;
  readonly receivedMicros: Float64Array;
  readonly positions: Float64Array;
  /** Of each event 1 or 0. */
  readonly areBots: Uint8Array;
  readonly products: (readonly BasketEntry[])[] = [];
  private readonly single = new Map<string, readonly BasketEntry[]>();
  readonly sites = new NameColumn<string>('');
  readonly eventTypes = new NameColumn<string>('');
  readonly devices = new NameColumn<string | null>(null);

  /** @param most how many may be added */
  constructor(most: number) {
    this.eventIds = Buffer.allocUnsafe(most * KEY_BYTES);
    this.sessionKeys = Buffer.allocUnsafe(most * KEY_BYTES);
    this.requestKeys = Buffer.allocUnsafe(most * KEY_BYTES);
    this.occurredMicros = new Float64Array(most);
    this.receivedMicros = new Float64Array(most);
    this.positions = new Float64Array(most);
    this.areBots = new Uint8Array(most);
  }

  get length(): number {
    return this.products.length;
  }

  /** Adds one whose ids and keys are written at its place already. */
  add(event: EventFields): void {
    const place = this.length;
    this.occurredMicros[place] = event.occurredMicros;
    this.receivedMicros[place] = event.receivedMicros;
    this.positions[place] = event.position;
    this.areBots[place] = event.isBot ? 1 : 0;
    this.sites.add(event.siteId);
    this.eventTypes.add(event.eventType);
    this.devices.add(event.device);
    this.products.push(this.shared(event.products));
  }

  /** Most events with products tell of one, as others do. */
  private shared(told: readonly BasketEntry[]): readonly BasketEntry[] {
    const [entry] = told;
    if (entry === undefined) return NO_PRODUCTS;
    if (told.length > 1) return told;
    const text = entryText(entry);
    const known = this.single.get(text) ?? told;
    if (known === told) this.single.set(text, told);
    return known;
  }
}

const NO_PRODUCTS: readonly BasketEntry[] = [];

/** Texts, most of which are alike: each is kept once. */
class NameColumn<Name extends string | null> {
  private readonly known = new Map<Name, number>();
  private readonly names: Name[] = [];
  private readonly numbers: number[] = [];

  /** @param none at places beyond its end */
  constructor(private readonly none: Name) {}

  add(name: Name): void {
    let number = this.known.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.known.set(name, number);
    }
    this.numbers.push(number);
  }

  /** The same for events of the same name. */
  numberAt(place: number): number {
    return this.numbers[place] ?? 0;
  }

  at(place: number): Name {
    return this.names[this.numberAt(place)] ?? this.none;
  }
}

/** The ids or keys of some places, one after the other. */
export function keysAt(column: Buffer, places: readonly number[]): Buffer {
  const keys = Buffer.allocUnsafe(places.length * KEY_BYTES);
  let end = 0;
  for (const place of places) {
    const from = place * KEY_BYTES;
    // A call of `copy` takes longer than this.
    for (let byte = 0; byte < KEY_BYTES; byte += 1) keys[end + byte] = column[from + byte] ?? 0;
    end += KEY_BYTES;
  }
  return keys;
}

/** The id or key at a place as a text of its bytes, by which it is looked up. */
export function keyTextAt(column: Buffer, place: number): string {
  return column.toString('latin1', place * KEY_BYTES, (place + 1) * KEY_BYTES);
}
