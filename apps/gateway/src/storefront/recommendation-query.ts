import { PRODUCT_FILTERS, RECOMMENDATION_COUNT } from '@truetally/contracts/management';
import { type FieldErrors, fail, type Result, succeed } from '@truetally/kernel';
import { idFilter } from '../http/page-query.js';
import { needed, parameter, QueryReader, wholeNumber } from '../http/query-reader.js';
import { readVisit, VISIT_QUERY, type VisitOfSession } from './visit-query.js';

const { min, max } = RECOMMENDATION_COUNT;

export const RECOMMENDATION_QUERY = {
  campaign_id: needed(idFilter),
  // Empty means absent, as in what a page states about its visitor.
  product_id: parameter(
    { type: 'string', maxLength: PRODUCT_FILTERS.product_id.schema['maxLength'] },
    (value) => (value === '' ? undefined : PRODUCT_FILTERS.product_id(value)),
  ),
  limit: wholeNumber({ min, max }),
  ...VISIT_QUERY,
};

export interface RecommendationQuestion {
  readonly campaignId: string;
  readonly productId: string | undefined;
  /** Undefined: as many as the campaign has. */
  readonly limit: number | undefined;
  readonly visit: VisitOfSession;
}

/** Every broken rule, or what a page asks. */
export function readRecommendationQuery(
  query: URLSearchParams | undefined,
): Result<RecommendationQuestion, FieldErrors> {
  const reader = new QueryReader(query);
  const campaignId = reader.required('campaign_id', RECOMMENDATION_QUERY.campaign_id).toLowerCase();
  const named = reader.optional('product_id', RECOMMENDATION_QUERY.product_id) || undefined;
  const limit = reader.optional('limit', RECOMMENDATION_QUERY.limit);
  const own = reader.result({
    campaignId,
    productId: named,
    limit: limit === undefined ? undefined : Number(limit),
  });
  const visit = readVisit(query);
  if (own.ok && visit.ok) return succeed({ ...own.value, visit: visit.value });
  return fail({ ...(own.ok ? {} : own.error), ...(visit.ok ? {} : visit.error) });
}
