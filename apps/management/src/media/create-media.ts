import {
  MEDIA_FIELD,
  MEDIA_TYPES,
  validateCreateMedia,
  type StoredMedia,
} from '@truetally/contracts/management';
import { type CommandAnswer, newResource, type ResourceCommand } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { CommandContext, CommandWork, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { insertMedia } from '../storage/media.store.js';
import { exceeds } from '../storage/quota.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';
import { nameWithin } from './media-name.js';
import type { MediaFiles, TakenPicture } from './media-files.js';

/**
 * The file is decoded first: that takes up to some seconds, in which a transaction would lock its workspace, and which Postgres ends
 * as a silent one. A command that comes again is decoded again, and answered as before.
 */
export async function createMedia(
  command: ResourceCommand,
  files: MediaFiles,
  carryOut: (work: CommandWork) => Promise<Reply<CommandAnswer<unknown>>>,
): Promise<Reply<CommandAnswer<unknown>>> {
  const taken = await take(command, files);
  if ('error' in taken) return carryOut(() => Promise.resolve(taken));
  try {
    return await carryOut((client, read, context) => keep(client, read, context, { files, taken }));
  } finally {
    await taken.draft.discard();
  }
}

async function take({ body }: ResourceCommand, files: MediaFiles) {
  const upload = validateCreateMedia(body);
  if (!upload.ok) return refusals.invalid(upload.error);
  const taken = await files.take(upload.value.upload_id);
  return 'refusal' in taken ? refusals.invalid({ [MEDIA_FIELD]: [taken.refusal] }) : taken;
}

async function keep(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
  { files, taken }: { readonly files: MediaFiles; readonly taken: TakenPicture },
): Promise<Outcome> {
  const { workspace_id: workspaceId } = command;
  if ((await holdWorkspace(client, workspaceId)) === undefined) return refusals.noWorkspace();
  const { extension, sha256, width, height, bytes } = taken.picture;
  const exceeded =
    (await exceeds(client, 'media', { workspaceId })) ??
    (await exceeds(client, 'media_bytes', { workspaceId, more: bytes }));
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const file = `${nameWithin(workspaceId, sha256)}.${extension}`;
  const media: StoredMedia = {
    ...newResource(newId(), nowMs),
    file,
    width,
    height,
    bytes,
    content_type: MEDIA_TYPES[extension],
  };
  await files.keep(client, taken, file);
  await insertMedia(client, workspaceId, media);
  return { ok: media, audit: { action: 'create', resource: 'media', resourceId: media.id } };
}
