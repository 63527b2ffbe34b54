import { recordCodec } from '../facts/record-codec.js';
import { RECOMMENDATION_STRATEGIES, type RecommendationStrategy } from '../management/campaign-content.js';

/** `analytics.read-recommendations`: which products of a site go with one, for a session. */
export interface ReadRecommendations {
  readonly site_id: string;
  /** What it has bought is left out; null: nothing is. */
  readonly session_id: string | null;
  /** Null: popular ones alone. */
  readonly product_id: string | null;
  readonly strategy: RecommendationStrategy;
  /** Popular ones are the same for all of a site's visitors: a gateway asks for them once in a while. */
  readonly with_popular: boolean;
}

/** Ids of products, best first, each once; whether they can be bought is management's to say. */
export interface RecommendedIds {
  /** By the strategy, without what the session has bought. */
  readonly related: readonly string[];
  /** By the session, in no order. */
  readonly bought: readonly string[];
  /** To fall back on, for any session; empty where they were not asked for. */
  readonly popular: readonly string[];
}

/** The message on `analytics.read-recommendations`. */
export const READ_RECOMMENDATIONS = recordCodec((reader): ReadRecommendations => ({
  site_id: reader.text('site_id'),
  session_id: reader.textOrNull('session_id'),
  product_id: reader.textOrNull('product_id'),
  strategy: reader.oneOf('strategy', RECOMMENDATION_STRATEGIES) ?? 'popular',
  with_popular: reader.flag('with_popular'),
}));

/** The content of `ok` in its reply. */
export const RECOMMENDED_IDS = recordCodec((reader): RecommendedIds => ({
  related: reader.texts('related'),
  bought: reader.texts('bought'),
  popular: reader.texts('popular'),
}));
