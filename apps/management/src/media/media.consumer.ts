import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { validateCreateMedia } from '@truetally/contracts/management';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { fail, readJson } from '@truetally/kernel';
import {
  type AskContext,
  type BatchOutcome,
  BatchPattern,
  type IncomingRequest,
  UnreadableError,
  Handles,
} from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { createMedia } from './create-media.js';
import { deleteMedia } from './delete-media.js';
import { listMedia } from './list-media.js';
import { MediaFiles } from './media-files.js';
import { MediaSweeper } from './media-sweeper.js';
import { readMedia } from './read-media.js';

/**
 * One picture at a time, in a separate consumer group: other requests to this service do not wait for
 * pictures.
 */
const ONE_AT_A_TIME = { rows: 1, transactions: 1, unstored: 64 };

@Controller()
export class MediaConsumer {
  constructor(
    private readonly database: ResourceDatabase,
    private readonly files: MediaFiles,
    private readonly sweeper: MediaSweeper,
  ) {}

  @BatchPattern(TOPICS.createMedia.name, ONE_AT_A_TIME)
  async create(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const outcomes: BatchOutcome[] = [];
    for (const { value, correlationId } of requests) {
      const asked = commandIn(value);
      const reply = await this.database.command(asked, correlationId, (client, command, context) =>
        createMedia(client, command, context, this.files),
      );
      // Also after a refused or repeated request: its reply is stored, and the upload is not needed any more.
      await this.forgetUpload(asked);
      outcomes.push({ reply });
    }
    return outcomes;
  }

  @Handles(OPERATIONS.listMedia)
  list(query: ResourceQuery) {
    return this.database.query(query, listMedia);
  }

  @Handles(OPERATIONS.readMedia)
  read(query: ResourceQuery) {
    return this.database.query(query, readMedia);
  }

  @Handles(OPERATIONS.deleteMedia)
  async delete(command: ResourceCommand, { correlationId }: AskContext) {
    const reply = await this.database.command(command, correlationId, deleteMedia);
    this.sweeper.wake();
    return reply;
  }

  private async forgetUpload({ body }: ResourceCommand): Promise<void> {
    const upload = validateCreateMedia(body);
    if (upload.ok) await this.files.forget(upload.value.upload_id);
  }
}

/** @throws UnreadableError for an invalid message; the bus dead-letters it */
function commandIn(value: string): ResourceCommand {
  const json = readJson(value);
  const read = json.ok ? OPERATIONS.createMedia.read(json.value.value) : fail(json.error.message);
  if (!read.ok) throw new UnreadableError(read.error);
  return read.value;
}
