import type { ChainHeadResource, SiteResource } from '@truetally/node';
import { useEffect, useRef, useState } from 'react';
import type { Page } from '../api/pages.js';
import { counted } from '../domain/counted.js';
import type { Fault, SealedRecord } from '../domain/sealed-record.js';
import { ChainWalk } from '../domain/verify-chain.js';
import { Faults } from '../elements/faults.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Problem } from '../elements/problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

/** A run asks 40 pages at most: a hundredth of a member's hourly allowance. */
const RUN_RECORDS = 20_000;
const PAGE_RECORDS = 500;
const PAUSE_MS = 100;

interface Progress {
  readonly checked: number;
  /** Of the last sound record. */
  readonly last: string;
  readonly at: string;
  readonly fault: Fault | undefined;
  readonly state: 'done' | 'paused' | 'running';
  readonly error?: unknown;
}

/** Seals the whole chain again in this browser, record after record, in runs that can be stopped and go on. */
export function ChainCheck({
  site,
  head,
}: {
  readonly site: SiteResource;
  readonly head: ChainHeadResource;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const walk = useRef<ChainWalk>(null);
  const running = useRef<AbortController>(null);
  const [progress, setProgress] = useState<Progress>();
  useEffect(() => () => running.current?.abort(), []);
  const say = (known: ChainWalk, state: Progress['state'], error?: unknown): void =>
    setProgress({
      checked: known.checked,
      last: known.end.sequence,
      at: new Date().toISOString(),
      fault: known.fault,
      state,
      error,
    });
  const run = async (): Promise<void> => {
    const known = (walk.current ??= new ChainWalk(site.id, head));
    const { signal } = (running.current = new AbortController());
    say(known, 'running');
    try {
      for (let taken = 0; taken < RUN_RECORDS && !signal.aborted;) {
        const { items } = await api<Page<SealedRecord>>({
          path: '/partner-attribution/chain/records',
          query: { website_id: site.id, from_sequence: known.next, limit: PAGE_RECORDS },
          workspaceId: workspace.id,
          signal,
        });
        await known.take(items);
        if (items.length === 0) known.finish();
        if (items.length === 0 || known.fault !== undefined) return say(known, 'done');
        taken += items.length;
        say(known, 'running');
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      say(known, 'paused');
    } catch (error) {
      say(known, 'paused', signal.aborted ? undefined : error);
    }
  };
  const state = progress?.state;
  return (
    <>
      <h2>Verify in my browser</h2>
      <p>
        This page can seal every record again by itself and compare each with its seal, its order’s sums and
        the record before it: up to {RUN_RECORDS.toLocaleString('en')} records in one run.
      </p>
      <div className={style['actions']}>
        {state === 'running' ? (
          <button type="button" onClick={() => running.current?.abort()}>
            Stop
          </button>
        ) : (
          state !== 'done' && (
            <button type="button" onClick={() => void run()}>
              {state === undefined ? 'Verify the chain in my browser' : `Go on after place ${progress?.last}`}
            </button>
          )
        )}
      </div>
      {progress !== undefined && <Said progress={progress} zone={site.timezone} />}
    </>
  );
}

function Said({ progress, zone }: { readonly progress: Progress; readonly zone: string }) {
  const { checked, last, at, fault, state, error } = progress;
  const records = counted(checked, 'record');
  if (fault !== undefined) {
    return <Faults faults={[fault]} what={`The chain is broken after ${records}.`} />;
  }
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <div className={style['notice']} role="status">
        {state === 'done' ? (
          <p>
            <strong>Sound.</strong> {records}, from place 1 to place {last}, at{' '}
            <Instant at={at} zone={zone} />. Each is what was sealed, follows the one before it, and leaves
            its order with the sum of its entries. Whether the chain was sealed again as a whole is seen by a
            kept head.
          </p>
        ) : (
          <p>
            {records} so far, up to place {last}: sound.
          </p>
        )}
      </div>
    </>
  );
}
