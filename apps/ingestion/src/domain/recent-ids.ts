/** 2 MiB: some hundred thousand ids, the last ones of each place. */
const PLACES = 2 ** 19;
const HEX = 16;
const DIGITS = 8;
const EMPTY = 0;

/**
 * Ids of events that this process stored lately. An id that is known may have been stored; one that is not may have
 * been as well: newer ids take the places of older ones. Ids are UUIDs whose digits are a digest's.
 */
export class RecentIds {
  private readonly prints = new Uint32Array(PLACES);

  has(eventId: string): boolean {
    return this.prints[placeOf(eventId)] === printOf(eventId);
  }

  add(eventId: string): void {
    this.prints[placeOf(eventId)] = printOf(eventId);
  }
}

function placeOf(eventId: string): number {
  return Number.parseInt(eventId.slice(0, DIGITS), HEX) % PLACES;
}

function printOf(eventId: string): number {
  const print = Number.parseInt(eventId.slice(-DIGITS), HEX);
  return print === EMPTY ? 1 : print;
}
