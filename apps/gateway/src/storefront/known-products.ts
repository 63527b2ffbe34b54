import type { ReadRecommendations } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { fail, type Failure, type Result, succeed } from '@truetally/kernel';
import type { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';

/** From this age on a site's popular products are asked for again, while they are still shown. */
const REFRESHED_AFTER_MS = 2_000;
const SHOWN_FOR_MS = 4_000;
/** Timeout; the page shows nothing while it waits. */
const ANSWER_TIMEOUT_MS = 1_500;
/** A hundred ids each; beyond it all are forgotten. */
const MOST_SITES = 1_000;

/** Of a site: the same for all of its visitors. */
interface Popular {
  readonly ids: readonly string[];
  readonly sinceMs: number;
  /** Somebody asks again. */
  askedMs: number;
}

/** Best first, each once, without the product itself and what the session has bought. */
export interface KnownIds {
  /** By the strategy. */
  readonly related: ReadonlySet<string>;
  readonly all: readonly string[];
}

/**
 * Products that analytics knows to go with one. Each answer needs what the session has bought; popular products, which
 * were most of a reply, come once in a while with one of them.
 */
export class KnownProducts {
  private readonly sites = new Map<string, Popular>();

  constructor(
    private readonly asker: Pick<Asker, 'ask'>,
    private readonly nowMs: () => number,
  ) {}

  async find(
    trace: Pick<Exchange, 'requestId' | 'traceparent'>,
    question: Omit<ReadRecommendations, 'with_popular'>,
  ): Promise<Result<KnownIds, Failure>> {
    const { site_id: siteId, product_id: productId } = question;
    const nowMs = this.nowMs();
    const shown = this.shownOf(siteId, nowMs);
    const isAsking = shown === undefined || nowMs - shown.askedMs >= REFRESHED_AFTER_MS;
    if (shown !== undefined && isAsking) shown.askedMs = nowMs;
    const reply = await this.asker.ask(
      trace,
      OPERATIONS.readRecommendations,
      { ...question, with_popular: isAsking },
      { answerTimeoutMs: ANSWER_TIMEOUT_MS },
    );
    if ('error' in reply) return fail(reply.error);
    const { related, bought, popular } = reply.ok;
    if (isAsking) this.keep(siteId, { ids: popular, sinceMs: nowMs, askedMs: nowMs });
    const left = new Set([...bought, ...related, ...(productId === null ? [] : [productId])]);
    const others = (isAsking ? popular : shown.ids).filter((id) => !left.has(id));
    return succeed({ related: new Set(related), all: [...related, ...others] });
  }

  private shownOf(siteId: string, nowMs: number): Popular | undefined {
    const known = this.sites.get(siteId);
    return known !== undefined && nowMs - known.sinceMs < SHOWN_FOR_MS ? known : undefined;
  }

  private keep(siteId: string, popular: Popular): void {
    if (this.sites.size >= MOST_SITES && !this.sites.has(siteId)) this.sites.clear();
    this.sites.set(siteId, popular);
  }
}
