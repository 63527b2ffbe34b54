import { Controller, Get } from '@nestjs/common';
import { Funnel, Overview, RevenueItemPage, RevenueReport, Timeseries } from '@truetally/contracts/analytics';
import { EventResource, Trail } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, KnownQuery, StreamsToo } from '../http/route-rules.js';
import {
  FUNNEL_QUERY,
  ITEMS_QUERY,
  readFunnelQuery,
  readItemsQuery,
  readReportQuery,
  readSeriesQuery,
  REPORT_QUERY,
  SERIES_QUERY,
} from './analytics-query.js';
import { AnalyticsReader } from './analytics-reader.js';
import { EVENTS_QUERY, EventLister } from './event-lister.js';
import { TRAIL_QUERY, TrailReader } from './trail-reader.js';

/** What came in, and what it was worth (interface page, section 9). */
@Controller('api/v1/analytics')
export class AnalyticsController {
  constructor(
    private readonly reader: AnalyticsReader,
    private readonly events: EventLister,
    private readonly trail: TrailReader,
  ) {}

  @Get('overview')
  @Credential('analytics-reader')
  @KnownQuery(REPORT_QUERY)
  @Answers(Overview)
  overview(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange, OPERATIONS.readOverview, readReportQuery);
  }

  @Get('timeseries')
  @Credential('analytics-reader')
  @KnownQuery(SERIES_QUERY)
  @Answers(Timeseries)
  timeseries(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange, OPERATIONS.readTimeseries, readSeriesQuery);
  }

  @Get('funnel')
  @Credential('analytics-reader')
  @KnownQuery(FUNNEL_QUERY)
  @Answers(Funnel)
  funnel(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange, OPERATIONS.readFunnel, readFunnelQuery);
  }

  @Get('events')
  @Credential('analytics-reader')
  @KnownQuery(EVENTS_QUERY)
  @AnswersPageOf(EventResource)
  @StreamsToo()
  listEvents(exchange: Exchange): Promise<void> {
    return this.events.list(exchange);
  }

  @Get('events/trail')
  @Credential('analytics-reader')
  @KnownQuery(TRAIL_QUERY)
  @Answers(Trail)
  readTrail(exchange: Exchange): Promise<void> {
    return this.trail.read(exchange);
  }

  @Get('revenue')
  @Credential('analytics-reader')
  @KnownQuery(REPORT_QUERY)
  @Answers(RevenueReport)
  revenue(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange, OPERATIONS.readRevenue, readReportQuery);
  }

  @Get('revenue/items')
  @Credential('analytics-reader')
  @KnownQuery(ITEMS_QUERY)
  @Answers(RevenueItemPage)
  revenueItems(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange, OPERATIONS.listRevenueItems, readItemsQuery);
  }
}
