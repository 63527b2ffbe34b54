import type { AskSeenSessions, SeenSessions } from '@truetally/contracts/analytics';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { sessionKeyOf } from '../domain/keys.js';
import type { ReportReads } from '../storage/report-reads.js';

/** Of some sessions of a site, how many sent an event: who looks at an experiment's sample asks. */
export const readSeenSessions =
  (reads: Pick<ReportReads, 'atOnce'>) =>
  ({ site_id: siteId, session_ids: sessionIds }: AskSeenSessions): Promise<Reply<SeenSessions>> => {
    const keys = [...new Set(sessionIds)].map((sessionId) => sessionKeyOf(siteId, sessionId));
    return whileAvailable(() =>
      reads.atOnce(async ({ traffic }) => ({ ok: { sessions: await traffic.seenOf(siteId, keys) } })),
    );
  };
