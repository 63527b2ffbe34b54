import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { INCOMING_FOLDER, MEDIA_FOLDER } from '@truetally/contracts/management';
import { TransientError } from '@truetally/messaging';
import { type Draft, type ObjectStore, StoreUnavailableError } from '@truetally/object-store';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { checkFileLater, lockFile } from '../storage/media-file-checks.js';
import type { ImageProcess } from './image-process.js';
import type { Picture, PictureRefusal } from './picture-message.js';

/** A re-encoded picture that is not stored yet. The caller discards the draft at the end. */
export interface TakenPicture {
  readonly picture: Picture;
  readonly draft: Draft;
}

const UPLOAD_GONE = 'was not kept long enough to be looked at; it must be sent again';

/** The files of pictures: uploads, and public files. */
export class MediaFiles {
  constructor(
    private readonly store: ObjectStore,
    private readonly images: Pick<ImageProcess, 'reencode'>,
    private readonly pool: Queryable,
  ) {}

  /**
   * Reads an upload and re-encodes it.
   * @returns what is wrong with the file, for its sender
   * @throws TransientError when the store is unavailable, the disk is full or the decoder cannot run
   */
  take(uploadId: string): Promise<TakenPicture | PictureRefusal> {
    return whileAvailable(async () => {
      const input = await this.store.draft();
      try {
        const upload = await this.store.open(`${INCOMING_FOLDER}/${uploadId}`);
        if (upload === undefined) return { refusal: UPLOAD_GONE };
        await copy(upload.body, input.path);
        return await this.reencode(input);
      } finally {
        await input.discard();
      }
    });
  }

  /**
   * Stores a picture's file under its content, unless it exists. Nothing removes it until the transaction
   * ends.
   * @throws TransientError when the store is unavailable
   */
  async keep(client: ClientBase, { draft }: TakenPicture, file: string): Promise<void> {
    await lockFile(client, file);
    await checkFileLater(this.pool, file);
    const key = `${MEDIA_FOLDER}/${file}`;
    await whileAvailable(async () => {
      if ((await this.store.describe(key)) === undefined) await draft.publish(key);
    });
  }

  /** Deletes an upload that is no longer needed. If that fails, it is removed when it is an hour old. */
  async forget(uploadId: string): Promise<void> {
    await this.store.delete(`${INCOMING_FOLDER}/${uploadId}`).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
    });
  }

  private async reencode(input: Draft): Promise<TakenPicture | PictureRefusal> {
    const draft = await this.store.draft();
    const reply = await this.images.reencode({ input: input.path, output: draft.path });
    if ('picture' in reply) return { picture: reply.picture, draft };
    await draft.discard();
    if ('failure' in reply) throw new TransientError(`No picture can be written: ${reply.failure}`);
    return reply;
  }
}

/** A failure of the store or the disk is not the picture's fault. */
async function copy(body: Readable, path: string): Promise<void> {
  try {
    await pipeline(body, createWriteStream(path));
  } catch (error) {
    throw new TransientError('The upload cannot be copied.', { cause: error });
  }
}

async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailableError) {
      throw new TransientError('The object store is away.', { cause: error });
    }
    throw error;
  }
}
