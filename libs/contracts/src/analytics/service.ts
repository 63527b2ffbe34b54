import { askedBy, hotQuery, one, ownTopic, query } from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { AskEligibleSessions, EligibleSessions } from './eligible-sessions.js';
import { AskEvents, EventPlaces } from './listed-events.js';
import { RECOMMENDED_IDS, type RecommendedIds, type ReadRecommendations } from './read-recommendations.js';
import { AskReport } from './report-window.js';
import { AskRevenueItems, RevenueItemPage, RevenueReport } from './revenue.js';
import { AskSeenSessions, SeenSessions } from './seen-sessions.js';
import { AskFunnel, AskTimeseries, Funnel, Overview, Timeseries } from './traffic.js';

/** The group by which ClickHouse follows facts: its prefix is that of the service, whose user of Kafka it has. */
export const CLICKHOUSE_GROUP = 'analytics.clickhouse';

/** What several services' facts say together: traffic, sessions, funnels, and revenue observed and recorded. */
export const ANALYTICS = {
  name: 'analytics',
  role: 'behind',
  operations: askedBy(['gateway'], {
    readOverview: query({ asks: AskReport, answers: one(Overview) }),
    readTimeseries: query({ asks: AskTimeseries, answers: one(Timeseries) }),
    readFunnel: query({ asks: AskFunnel, answers: one(Funnel) }),
    readRevenue: query({ asks: AskReport, answers: one(RevenueReport) }),
    listRevenueItems: query({ asks: AskRevenueItems, answers: one(RevenueItemPage) }),
    listEvents: query({ asks: AskEvents, answers: one(EventPlaces) }),
    readEligibleSessions: query({ asks: AskEligibleSessions, answers: one(EligibleSessions) }),
    readSeenSessions: query({ asks: AskSeenSessions, answers: one(SeenSessions) }),
    // Many in one statement: every page of a shop asks.
    readRecommendations: ownTopic(
      3,
      hotQuery<ReadRecommendations, RecommendedIds>({
        key: (_, newId) => newId(),
        encode: JSON.stringify,
        answerReader: () => RECOMMENDED_IDS.read,
      }),
    ),
  }),
  facts: {},
  follows: ['eventsStored', 'conversionsRecorded', 'touchesRecorded'],
  holds: ['sites', 'sitesErased'],
  isAskedToEraseSites: true,
  knowsPeopleBy: 'subjects',
  hasOutbox: false,
  localOperationsPort: 4188,
} as const satisfies ServiceEntry;
