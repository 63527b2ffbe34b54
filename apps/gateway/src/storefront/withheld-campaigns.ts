import { readWithheld } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import type { KafkaAskClient } from '@truetally/messaging';
import type { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import type { Exchange } from '../http/exchange.js';

/** A page waits for it before it shows anything. */
const ANSWER_TIMEOUT_MS = 1_500;
const NOTHING: ReadonlySet<string> = new Set();

/** What the arm of a session withholds from it (interface page, section 7). */
export class WithheldCampaigns {
  constructor(
    private readonly experiments: ExperimentDirectory,
    private readonly asker: Pick<KafkaAskClient, 'ask'>,
  ) {}

  /** Those of a site that stand in a running experiment, from memory. */
  inExperiment(siteId: string): ReadonlySet<string> {
    return this.experiments.campaignsInExperiment(siteId);
  }

  /**
   * Those of `candidates` that the session is not given. Asked only where there is a candidate; when nobody answers, all
   * of them are withheld: showing control what is measured would spoil the measurement for good, an experience that a
   * page goes without for a moment is only late.
   * @param candidates the site's campaigns that stand in a running experiment and would be shown
   */
  async from(
    { requestId, traceparent }: Exchange,
    { siteId, sessionId }: { readonly siteId: string; readonly sessionId: string | undefined },
    candidates: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (candidates.length === 0 || sessionId === undefined) return NOTHING;
    const reply = await this.asker.ask({
      topic: TOPICS.readWithheld.name,
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
