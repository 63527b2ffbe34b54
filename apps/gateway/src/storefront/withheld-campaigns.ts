import { readWithheld } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import type { KafkaAskClient } from '@truetally/messaging';
import type { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import type { Exchange } from '../http/exchange.js';

/** Timeout; the page shows nothing while it waits. */
const ANSWER_TIMEOUT_MS = 1_500;
const NOTHING: ReadonlySet<string> = new Set();

/** What the arm of a session withholds (interface page, section 7). */
export class WithheldCampaigns {
  constructor(
    private readonly experiments: ExperimentDirectory,
    private readonly asker: Pick<KafkaAskClient, 'ask'>,
  ) {}

  /** A site's campaigns of running experiments, from memory. */
  inExperiment(siteId: string): ReadonlySet<string> {
    return this.experiments.campaignsInExperiment(siteId);
  }

  /**
   * The candidates that are withheld from the session. Asked only with candidates. Without an answer all are
   * withheld: showing them to control would spoil the measurement for good, while a page without them is only
   * delayed.
   * @param candidates the site's campaigns of running experiments that would be shown
   */
  async from(
    { requestId, traceparent }: Exchange,
    { siteId, sessionId }: { readonly siteId: string; readonly sessionId: string | undefined },
    candidates: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (candidates.length === 0 || sessionId === undefined) return NOTHING;
    const reply = await this.asker.ask({
      to: TOPICS.readWithheld.name,
      key: `${siteId}:${sessionId}`,
      value: JSON.stringify({ site_id: siteId, session_id: sessionId }),
      kind: 'query',
      deadlineMs: ANSWER_TIMEOUT_MS,
      requestId,
      traceparent,
    });
    const withheld = 'error' in reply ? undefined : readWithheld(reply.ok);
    return new Set(withheld?.ok === true ? withheld.value.campaign_ids : candidates);
  }
}
