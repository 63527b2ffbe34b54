import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { readCreateMedia } from '@truetally/contracts/management';
import { readResourceCommand } from '@truetally/contracts/resource';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import {
  type AskContext,
  type BatchOutcome,
  BatchPattern,
  type IncomingRequest,
  UnreadableError,
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
    @Inject(ResourceDatabase) private readonly database: ResourceDatabase,
    @Inject(MediaFiles) private readonly files: MediaFiles,
    @Inject(MediaSweeper) private readonly sweeper: MediaSweeper,
  ) {}

  @BatchPattern(TOPICS.createMedia.name, ONE_AT_A_TIME)
  async create(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const outcomes: BatchOutcome[] = [];
    for (const { value, correlationId } of requests) {
      const message = parse(value);
      const reply = await this.database.command(message, correlationId, (client, command, context) =>
        createMedia(client, command, context, this.files),
      );
      // Also after a refused or repeated request: its reply is stored, and the upload is not needed any more.
      await this.forgetUpload(message);
      outcomes.push({ reply });
    }
    return outcomes;
  }

  @MessagePattern(OPERATIONS.listMedia)
  list(@Payload() message: unknown) {
    return this.database.query(message, listMedia);
  }

  @MessagePattern(OPERATIONS.readMedia)
  read(@Payload() message: unknown) {
    return this.database.query(message, readMedia);
  }

  @MessagePattern(OPERATIONS.deleteMedia)
  async delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    const reply = await this.database.command(message, correlationId, deleteMedia);
    this.sweeper.wake();
    return reply;
  }

  private async forgetUpload(message: unknown): Promise<void> {
    const command = readResourceCommand(message);
    const upload = command.ok ? readCreateMedia(command.value.body) : command;
    if (upload.ok) await this.files.forget(upload.value.upload_id);
  }
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new UnreadableError('The value is not JSON', { cause: error });
  }
}
