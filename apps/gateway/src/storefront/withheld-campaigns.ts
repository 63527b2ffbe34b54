import { OPERATIONS } from '@truetally/contracts/topics';
import type { Asker } from '../ask/ask.js';
import type { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import type { Exchange } from '../http/exchange.js';

/** Timeout; the page shows nothing while it waits. */
const ANSWER_TIMEOUT_MS = 1_500;
const NOTHING: ReadonlySet<string> = new Set();

/** What the arm of a session withholds (interface page, section 7). */
export class WithheldCampaigns {
  constructor(
    private readonly experiments: ExperimentDirectory,
    private readonly asker: Pick<Asker, 'ask'>,
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
    exchange: Pick<Exchange, 'requestId' | 'traceparent'>,
    { siteId, sessionId }: { readonly siteId: string; readonly sessionId: string | undefined },
    candidates: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (candidates.length === 0 || sessionId === undefined) return NOTHING;
    const withheld = await this.asker.ask(
      exchange,
      OPERATIONS.readWithheld,
      { site_id: siteId, session_id: sessionId },
      { answerTimeoutMs: ANSWER_TIMEOUT_MS },
    );
    return new Set('ok' in withheld ? withheld.ok.campaign_ids : candidates);
  }
}
