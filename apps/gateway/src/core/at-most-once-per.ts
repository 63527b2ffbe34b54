/** During an outage every call fails, many times a second; one log line per interval is enough. */
export function atMostOncePer(
  intervalMs: number,
  report: (error: unknown) => void,
): (error: unknown) => void {
  let reportedMs = -Infinity;
  return (error) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < intervalMs) return;
    reportedMs = nowMs;
    report(error);
  };
}

export const OUTAGE_LOG_INTERVAL_MS = 1_000;
