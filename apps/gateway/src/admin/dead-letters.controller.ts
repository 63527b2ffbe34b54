import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { DEAD_LETTER_STATES, DeadLetterResource } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { type Filters, oneOfFilter, PAGE_PARAMETERS, textFilter } from '../http/page-query.js';
import { Credential, KnownQuery, Answers, AnswersPageOf } from '../http/route-rules.js';
import { ResourceApi } from '../http/resource-api.js';

const FILTERS: Filters = {
  topic: textFilter,
  request_id: textFilter,
  reason: textFilter,
  state: oneOfFilter(DEAD_LETTER_STATES),
};
/** Management reads the message from its topic, for which a new reader waits some seconds. */
const REPLAY_TIMEOUT_MS = 25_000;

/**
 * Dead letters, and replaying or discarding them (interface page, section 11;
 * docs/decisions/dead-letters.md).
 */
@Controller('api/admin/dead-letters')
export class DeadLettersController {
  constructor(@Inject(ResourceApi) private readonly api: ResourceApi) {}

  @Get()
  @Credential('admin')
  @KnownQuery({ ...PAGE_PARAMETERS, ...FILTERS })
  @AnswersPageOf(DeadLetterResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listDeadLetters }, FILTERS);
  }

  @Post(':id/replay')
  @Credential('admin')
  @Answers(DeadLetterResource)
  replay(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    const to = OPERATIONS.replayDeadLetter;
    return this.api.act(exchange, { to, params, answerTimeoutMs: REPLAY_TIMEOUT_MS });
  }

  @Post(':id/discard')
  @Credential('admin')
  @Answers(DeadLetterResource)
  discard(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.act(exchange, { to: OPERATIONS.discardDeadLetter, params });
  }
}
