import type { ResourceQuery } from '@truetally/contracts/resource';
import { paramOf, type Queryable, type WrittenReply } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findSubmission } from '../storage/submission.store.js';

export async function readSubmission(client: Queryable, query: ResourceQuery): Promise<WrittenReply> {
  const submission = await findSubmission(client, query.workspace_id, paramOf(query.params, 'id'));
  return submission === undefined ? refusals.noSubmission() : `{"ok":${submission}}`;
}
