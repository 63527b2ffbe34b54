import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { SetAsideFactResource } from '@truetally/contracts/operations';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery, Answers, AnswersPageOf, Refuses } from '../http/route-rules.js';
import { SET_ASIDE_QUERY, SetAsideFacts } from './set-aside-facts.js';

/**
 * Facts that Kafka refused, of every service that publishes facts (interface page, section 11;
 * docs/decisions/outbox.md).
 */
@Controller('api/admin/set-aside-facts')
export class SetAsideFactsController {
  constructor(@Inject(SetAsideFacts) private readonly facts: SetAsideFacts) {}

  @Get()
  @Credential('admin')
  @KnownQuery(SET_ASIDE_QUERY)
  @AnswersPageOf(SetAsideFactResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.facts.list(exchange);
  }

  @Post(':service/:id/replay')
  @Credential('admin')
  @Answers(SetAsideFactResource)
  @Refuses(409)
  replay(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.facts.handle(exchange, params, 'replay');
  }

  @Post(':service/:id/discard')
  @Credential('admin')
  @Answers(SetAsideFactResource)
  @Refuses(409)
  discard(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.facts.handle(exchange, params, 'discard');
  }
}
