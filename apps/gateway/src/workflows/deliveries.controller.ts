import { Controller, Get, Post } from '@nestjs/common';
import { DeliveryResource, ReplayBody, StartedReplay, TestWorkflowBody } from '@truetally/contracts/outbound';
import type { Exchange, Params } from '../http/exchange.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { DELIVERY_QUERY, DeliveryRequests } from './delivery-requests.js';

/** Deliveries of a workflow (interface page, section 10). */
@Controller('api/v1/workflows/:id')
export class DeliveriesController {
  constructor(private readonly requests: DeliveryRequests) {}

  @Post('test')
  @Credential('management-writer')
  @JsonBody(TestWorkflowBody, { isOptional: true })
  @Answers(DeliveryResource, 201)
  test(exchange: Exchange, { id }: Params<'id'>): Promise<void> {
    return this.requests.test(exchange, id);
  }

  @Get('deliveries')
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...DELIVERY_QUERY })
  @AnswersPageOf(DeliveryResource)
  list(exchange: Exchange, { id }: Params<'id'>): Promise<void> {
    return this.requests.list(exchange, id);
  }

  @Post('deliveries/replay')
  @Credential('management-writer')
  @JsonBody(ReplayBody)
  @Answers(StartedReplay, 202)
  replayRange(exchange: Exchange, { id }: Params<'id'>): Promise<void> {
    return this.requests.replayRange(exchange, id);
  }

  @Get('deliveries/:delivery_id')
  @Credential('management-reader')
  @Answers(DeliveryResource)
  read(exchange: Exchange, { id, delivery_id: deliveryId }: Params<'delivery_id' | 'id'>): Promise<void> {
    return this.requests.read(exchange, id, deliveryId);
  }

  @Post('deliveries/:delivery_id/replay')
  @Credential('management-writer')
  @Answers(DeliveryResource)
  replay(exchange: Exchange, { id, delivery_id: deliveryId }: Params<'delivery_id' | 'id'>): Promise<void> {
    return this.requests.replay(exchange, id, deliveryId);
  }
}
