import type { ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { lockMedia, removeMedia } from '../storage/media.store.js';

export async function deleteMedia(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  const media = await lockMedia(client, workspaceId, paramOf(params, 'media_id'));
  if (media === undefined) return refusals.noMedia();
  if (isStale(version, media.version)) return refusals.staleVersion(media.version);
  await removeMedia(client, media);
  return {
    ok: { id: media.id, deleted: true },
    audit: { action: 'delete', resource: 'media', resourceId: media.id },
  };
}
