import type { OfferedProduct } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { fail, type Failure, type Result, succeed } from '@truetally/kernel';
import type { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';

/** From this age on a product is asked for again, while it is still shown. */
const REFRESHED_AFTER_MS = 3_000;
/** Those of a site gather for so long: its pages name others each time, and each question costs more than a product. */
const GATHERED_MS = 50;
/** Products that one question may name. */
const MOST_ASKED = 200;
/** An older answer is not shown: a change shows within 5 s (interface page, section 9). */
const SHOWN_FOR_MS = 4_000;
/** Timeout; the page shows nothing while it waits. */
const ANSWER_TIMEOUT_MS = 1_500;
/** Of all sites; beyond it all are forgotten. */
const MOST_PRODUCTS = 10_000;

type Trace = Pick<Exchange, 'requestId' | 'traceparent'>;

/** Products that were asked for together. */
interface Batch {
  readonly sinceMs: number;
  /** Null before the answer. */
  products: ReadonlyMap<string, OfferedProduct> | null;
  answered: Promise<Failure | undefined>;
}

/** What is known of one product. */
interface Place {
  readonly id: string;
  answer: Batch | undefined;
  /** Under way. */
  next: Batch | undefined;
}

/**
 * The products of catalogues that can be bought, kept for seconds: pages show the same few, so that most requests ask
 * nobody. Those who need a product that is being asked for wait for the same answer.
 */
export class OfferedCatalogue {
  private readonly places = new Map<string, Place>();
  /** By site: those that are asked for again soon. */
  private readonly gathered = new Map<string, Set<Place>>();

  constructor(
    private readonly asker: Pick<Asker, 'ask'>,
    private readonly nowMs: () => number,
  ) {}

  /**
   * @param ids at most as many as one question may name, each once
   * @returns those that can be bought, in the order of their ids
   */
  async find(
    trace: Trace,
    siteId: string,
    ids: readonly string[],
  ): Promise<Result<readonly OfferedProduct[], Failure>> {
    const nowMs = this.nowMs();
    const places = ids.map((id) => this.placeOf(siteId, id));
    const isWithin = (ageMs: number) => (place: Place) =>
      place.answer !== undefined && nowMs - place.answer.sinceMs < ageMs;
    const isFresh = isWithin(REFRESHED_AFTER_MS);
    const isShown = isWithin(SHOWN_FOR_MS);
    const asked = places.filter((place) => place.next === undefined && !isFresh(place));
    const missing = asked.filter((place) => !isShown(place));
    if (missing.length > 0) this.ask(trace, siteId, missing);
    this.gather(trace, siteId, asked.filter(isShown));
    const awaited = new Set(places.flatMap((place) => (isShown(place) ? [] : (place.next ?? []))));
    for (const { answered } of awaited) {
      const failed = await answered;
      if (failed !== undefined) return fail(failed);
    }
    return succeed(places.flatMap(({ id, answer }) => answer?.products?.get(id) ?? []));
  }

  private placeOf(siteId: string, id: string): Place {
    const key = `${siteId} ${id}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    if (this.places.size >= MOST_PRODUCTS) this.places.clear();
    const place: Place = { id, answer: undefined, next: undefined };
    this.places.set(key, place);
    return place;
  }

  private gather(trace: Trace, siteId: string, places: readonly Place[]): void {
    if (places.length === 0) return;
    const gathered = this.gathered.get(siteId) ?? new Set<Place>();
    if (gathered.size === 0) {
      this.gathered.set(siteId, gathered);
      setTimeout(() => {
        this.gathered.delete(siteId);
        this.ask(
          trace,
          siteId,
          [...gathered].filter(({ next }) => next === undefined),
        );
      }, GATHERED_MS).unref();
    }
    // The others are still shown, and gathered with the next page.
    for (const place of places) if (gathered.size < MOST_ASKED) gathered.add(place);
  }

  private ask(trace: Trace, siteId: string, places: readonly Place[]): void {
    if (places.length === 0) return;
    const batch: Batch = { sinceMs: this.nowMs(), products: null, answered: Promise.resolve(undefined) };
    for (const place of places) place.next = batch;
    const product_ids = places.map(({ id }) => id);
    batch.answered = this.asker
      .ask(
        trace,
        OPERATIONS.listOfferedProducts,
        { site_id: siteId, product_ids },
        { answerTimeoutMs: ANSWER_TIMEOUT_MS },
      )
      .then((reply) => {
        for (const place of places) place.next = undefined;
        if ('error' in reply) return reply.error;
        batch.products = new Map(reply.ok.products.map((product) => [product.product_id, product]));
        for (const place of places) place.answer = batch;
        return undefined;
      });
  }
}
