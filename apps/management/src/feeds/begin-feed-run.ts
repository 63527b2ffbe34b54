import type { BeginFeedRun, FeedAccess } from '@truetally/contracts/management';
import { failure, type Reply } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginRun } from '../storage/feed.store.js';

/** Begins a reading of a feed for a job. Credentials stay sealed on the way, and only the keyring opens them. */
export async function beginFeedRun(client: ClientBase, run: BeginFeedRun): Promise<Reply<FeedAccess>> {
  const access = await beginRun(client, run);
  if (access === 'gone') return refusals.noIntegration();
  if (access === 'another-job') return failure('UNAVAILABLE', 'Another job reads this feed at the moment.');
  return { ok: access };
}
