import { Controller, Get, Post } from '@nestjs/common';
import { DEAD_LETTER_STATES, DeadLetterResource } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { type Filters, oneOfFilter, PAGE_PARAMETERS, textFilter } from '../http/page-query.js';
import { QueryReader } from '../http/query-reader.js';
import { refuse } from '../http/respond.js';
import { Answers, AnswersPageOf, Credential, KnownQuery, Refuses } from '../http/route-rules.js';
import { ResourceApi } from '../ask/resource.js';

const FILTERS: Filters = {
  topic: textFilter,
  request_id: textFilter,
  reason: textFilter,
  state: oneOfFilter(DEAD_LETTER_STATES),
};
/** `true` replays a message over a newer change of the same resource. */
const FORCE = oneOfFilter(['true', 'false']);
/** Management reads the message from its topic, for which a new reader waits some seconds. */
const REPLAY_TIMEOUT_MS = 25_000;

/**
 * Dead letters, and replaying or discarding them (interface page, section 11;
 * docs/decisions/dead-letters.md).
 */
@Controller('api/admin/dead-letters')
export class DeadLettersController {
  constructor(private readonly api: ResourceApi) {}

  @Get()
  @Credential('admin')
  @KnownQuery({ ...PAGE_PARAMETERS, ...FILTERS })
  @AnswersPageOf(DeadLetterResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listDeadLetters }, FILTERS);
  }

  @Post(':id/replay')
  @Credential('admin')
  @KnownQuery({ force: FORCE })
  @Answers(DeadLetterResource)
  @Refuses(409)
  replay(exchange: Exchange, params: Params): Promise<void> {
    const reader = new QueryReader(exchange.query);
    const query = reader.result({ force: reader.optional('force', FORCE) === 'true' });
    if (!query.ok) {
      refuse(exchange, 'broken-rules', query.error);
      return Promise.resolve();
    }
    const to = OPERATIONS.replayDeadLetter;
    const prepare = () => ({ body: query.value, fingerprinted: query.value });
    return this.api.act(exchange, { to, params, prepare, answerTimeoutMs: REPLAY_TIMEOUT_MS });
  }

  @Post(':id/discard')
  @Credential('admin')
  @Answers(DeadLetterResource)
  @Refuses(409)
  discard(exchange: Exchange, params: Params): Promise<void> {
    return this.api.act(exchange, { to: OPERATIONS.discardDeadLetter, params });
  }
}
