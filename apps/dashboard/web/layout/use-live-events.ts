import type { EventResource } from '@truetally/node';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, signInAway } from '../api/api-error.js';
import { followStream, type StreamFrame } from '../api/event-stream.js';
import { addArrivals, type Arrival, NO_ROWS, pauseRows, resumeRows } from '../domain/live-rows.js';
import { useWorkspace } from './workspace-context.js';
import { usePage } from '../session/page-context.js';

/** The eye needs no more, and each painting of a thousand rows costs. */
const BATCH_MS = 200;

/** The live stream of a site's events while `isActive`; it goes on where it was when that was false meanwhile. */
export function useLiveEvents(query: Readonly<Record<string, string | undefined>>, isActive: boolean) {
  const { apiBaseUrl, session } = usePage();
  const { workspace } = useWorkspace();
  const [live, setLive] = useState(NO_ROWS);
  const [isConnected, setConnected] = useState(false);
  const [lagMs, setLagMs] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const lastEventId = useRef<string>(undefined);
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();
  useEffect(() => {
    if (!isActive) return;
    const leaving = new AbortController();
    const batch = new Batch(lastEventId.current !== undefined, (arrivals, lag) => {
      setLive((before) => addArrivals(before, arrivals));
      if (lag !== undefined) setLagMs(lag);
    });
    setError(undefined);
    void followStream({
      url: `${apiBaseUrl}/analytics/events?${search}`,
      headers: async () => ({
        Authorization: `Bearer ${await session.idToken().catch(() => {
          throw signInAway();
        })}`,
        'X-Workspace-Id': workspace.id,
      }),
      lastEventId: lastEventId.current,
      onFrame: (frame, id) => {
        lastEventId.current = id ?? lastEventId.current;
        batch.take(frame);
      },
      onConnected: setConnected,
      signal: leaving.signal,
    }).catch(async (failed: unknown) => {
      const isRefused = failed instanceof ApiError && failed.status === 401;
      const isLeaving = isRefused && (await session.askAgain());
      if (!isLeaving) setError(failed);
    });
    return () => {
      leaving.abort();
      batch.close();
      setConnected(false);
    };
  }, [isActive, apiBaseUrl, session, workspace.id, search, tries]);
  return {
    live,
    isConnected,
    lagMs,
    error,
    pause: useCallback(() => setLive(pauseRows), []),
    resume: useCallback(() => setLive(resumeRows), []),
    tryAgain: useCallback(() => setTries((count) => count + 1), []),
  };
}

/** Frames of one moment, as rows. */
class Batch {
  private arrivals: Arrival[] = [];
  private lagMs: number | undefined;
  private timer: number | undefined;
  /** What this machine's clock is ahead of the service's. */
  private aheadMs = 0;

  constructor(
    private hasBegun: boolean,
    private readonly onArrivals: (arrivals: readonly Arrival[], lagMs: number | undefined) => void,
  ) {}

  take({ event, data }: StreamFrame): void {
    if (event === 'open') this.open(data as Opened);
    else if (event === 'missed') this.add(gapOf((data as { readonly count: number }).count));
    else if (event === 'stored') this.stored(data as EventResource);
  }

  /** What waits is shown also when the stream is left. */
  close(): void {
    window.clearTimeout(this.timer);
    this.flush();
  }

  private open({ as_of: asOf, resumed }: Opened): void {
    this.aheadMs = Date.now() - Date.parse(asOf);
    if (this.hasBegun && !resumed) this.add(gapOf(undefined));
    this.hasBegun = true;
  }

  private stored(event: EventResource): void {
    this.lagMs = Math.max(Date.now() - this.aheadMs - Date.parse(event.received_at), 0);
    this.add({ kind: 'event', event });
  }

  private add(arrival: Arrival): void {
    this.arrivals.push(arrival);
    this.timer ??= window.setTimeout(() => this.flush(), BATCH_MS);
  }

  private flush(): void {
    this.timer = undefined;
    if (this.arrivals.length > 0) this.onArrivals(this.arrivals, this.lagMs);
    this.arrivals = [];
  }
}

interface Opened {
  readonly as_of: string;
  readonly resumed: boolean;
}

function gapOf(count: number | undefined): Arrival {
  return { kind: 'gap', id: crypto.randomUUID(), count };
}
