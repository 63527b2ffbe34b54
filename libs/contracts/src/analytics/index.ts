export { AskEligibleSessions, ELIGIBLE_DAYS, EligibleDay, EligibleSessions } from './eligible-sessions.js';
export { AskEvents, EventPlace, EventPlaces } from './listed-events.js';
export {
  AnalyticsReport,
  AskReport,
  CoveredWindow,
  MAX_SERIES_POINTS,
  SERIES_INTERVALS,
  type SeriesInterval,
} from './report-window.js';
export {
  AskRevenueItems,
  CurrencyRevenue,
  DifferencePart,
  REVENUE_PARTS,
  RevenueItem,
  RevenueItemPage,
  type RevenuePart,
  RevenueReport,
} from './revenue.js';
export {
  READ_RECOMMENDATIONS,
  RECOMMENDED_IDS,
  type RecommendedIds,
  type ReadRecommendations,
} from './read-recommendations.js';
export type { RecommendationStrategy } from '../management/campaign-content.js';
export { ASKED_SESSIONS, AskSeenSessions, SeenSessions } from './seen-sessions.js';
export { ANALYTICS, CLICKHOUSE_GROUP } from './service.js';
export {
  AskFunnel,
  AskTimeseries,
  Funnel,
  FUNNEL_BREAKDOWNS,
  FUNNEL_MINUTES,
  FUNNEL_STEPS,
  type FunnelBreakdown,
  FunnelPart,
  FunnelStep,
  MAX_BREAKDOWN_VALUES,
  Overview,
  RevenueAmount,
  Timeseries,
  TrafficPoint,
} from './traffic.js';
