import type { ManagementCommand } from '@truetally/contracts/management';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import type { Outcome } from '../storage/database.js';
import { deleteMedia as deleteRow, lockMedia } from '../storage/media.store.js';

export async function deleteMedia(client: ClientBase, command: ManagementCommand): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  const media = await lockMedia(client, workspaceId, params['media_id']);
  if (media === undefined) return refusals.noMedia();
  if (version !== null && version !== media.version) return refusals.staleVersion(media.version);
  await deleteRow(client, media);
  return {
    ok: { id: media.id, deleted: true },
    audit: { action: 'delete', resource: 'media', resourceId: media.id },
  };
}
