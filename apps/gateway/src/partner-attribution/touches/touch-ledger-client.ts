import {
  encodeListTouches,
  encodeRecordTouches,
  readTouchPage,
  readTouchVerdicts,
  type TouchCommand,
  type TouchPage,
  type TouchVerdict,
} from '@truetally/contracts/attribution';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { fail, type Failure, failure, type Result } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import type { Exchange } from '../../http/exchange.js';
import type { SitePage } from '../site-query.js';

/** Asks the attribution ledger about touches, and reads its answers. */
export class TouchLedgerClient {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  /** @param touches at least one, each `touch_id` unique */
  async record(
    { requestId, traceparent }: Exchange,
    siteId: string,
    touches: readonly TouchCommand[],
  ): Promise<Result<readonly TouchVerdict[], Failure>> {
    const touchIds = touches.map(({ touch_id }) => touch_id);
    const reply = await this.asker.ask({
      to: TOPICS.recordTouches.name,
      key: `${siteId}:${touchIds[0] ?? ''}`,
      value: encodeRecordTouches({ site_id: siteId, request_id: requestId, touches }),
      weight: touches.length,
      requestId,
      traceparent,
    });
    if ('error' in reply) return fail(reply.error);
    const verdicts = readTouchVerdicts(reply.ok, touchIds);
    return verdicts.ok ? verdicts : fail(failure('INTERNAL_ERROR', verdicts.error).error);
  }

  async list(
    { requestId, traceparent }: Exchange,
    { siteId, limit, cursor }: SitePage,
  ): Promise<Result<TouchPage, Failure>> {
    const reply = await this.asker.ask({
      to: OPERATIONS.listTouches,
      key: siteId,
      value: encodeListTouches({ site_id: siteId, limit, cursor }),
      kind: 'query',
      requestId,
      traceparent,
    });
    if ('error' in reply) return fail(reply.error);
    const page = readTouchPage(reply.ok);
    return page.ok ? page : fail(failure('INTERNAL_ERROR', page.error).error);
  }
}
