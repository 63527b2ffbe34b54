import { Controller, Get, Post } from '@nestjs/common';
import { SetAsideFactResource } from '@truetally/contracts/operations';
import type { Exchange, Params } from '../http/exchange.js';
import { Credential, KnownQuery, Answers, AnswersPageOf, Refuses } from '../http/route-rules.js';
import { SET_ASIDE_QUERY, SetAsideFacts } from './set-aside-facts.js';

/**
 * Facts that Kafka refused, of every service that publishes facts (interface page, section 11;
 * docs/decisions/outbox.md).
 */
@Controller('api/admin/set-aside-facts')
export class SetAsideFactsController {
  constructor(private readonly facts: SetAsideFacts) {}

  @Get()
  @Credential('admin')
  @KnownQuery(SET_ASIDE_QUERY)
  @AnswersPageOf(SetAsideFactResource)
  list(exchange: Exchange): Promise<void> {
    return this.facts.list(exchange);
  }

  @Post(':service/:id/replay')
  @Credential('admin')
  @Answers(SetAsideFactResource)
  @Refuses(409)
  replay(exchange: Exchange, params: Params): Promise<void> {
    return this.facts.handle(exchange, params, 'replay');
  }

  @Post(':service/:id/discard')
  @Credential('admin')
  @Answers(SetAsideFactResource)
  @Refuses(409)
  discard(exchange: Exchange, params: Params): Promise<void> {
    return this.facts.handle(exchange, params, 'discard');
  }
}
