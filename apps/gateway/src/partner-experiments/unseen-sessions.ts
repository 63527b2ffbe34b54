import type { UnseenSessions } from '@truetally/contracts/experiments';

/** Below it, a share of a sample says little. */
const SUFFICIENT_SESSIONS = 100;
/** A shop that sends events sends some of nearly every session. */
const SUSPICIOUS_SHARE = 0.5;

/** @param seen sessions of the sample with an event; undefined when nobody could say */
export function unseenSessions(sampled: number, seen: number | undefined): UnseenSessions {
  if (seen === undefined) {
    return { state: 'unknown', sampled, count: null, share: null, reason: 'no_answer' };
  }
  if (sampled === 0) {
    return { state: 'insufficient', sampled, count: null, share: null, reason: 'no_sessions' };
  }
  const count = sampled - seen;
  const share = count / sampled;
  if (sampled < SUFFICIENT_SESSIONS)
    return { state: 'insufficient', sampled, count, share, reason: 'few_sessions' };
  return { state: share > SUSPICIOUS_SHARE ? 'suspicious' : 'ok', sampled, count, share };
}
