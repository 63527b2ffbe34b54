import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { validateCreateMedia } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { fail, readJson } from '@truetally/kernel';
import { type BatchOutcome, BatchPattern, type IncomingRequest, UnreadableError } from '@truetally/messaging';
import { type ResourceAnswers, ResourceDatabase } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { reading } from '../resource-work.js';
import { findMedia, pageOfMedia } from '../storage/media.store.js';
import { createMedia } from './create-media.js';
import { deleteMedia } from './delete-media.js';
import { MediaFiles } from './media-files.js';
import type { MediaSweeper } from './media-sweeper.js';

export const mediaAnswers = (
  { command, query }: ResourceAnswers,
  sweeper: Pick<MediaSweeper, 'wake'>,
): Answers => ({
  listMedia: query(pageOfMedia),
  readMedia: query(reading('media_id', findMedia, refusals.noMedia)),
  deleteMedia: async (asked, context) => {
    const reply = await command(deleteMedia)(asked, context);
    sweeper.wake();
    return reply;
  },
});

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
  ) {}

  @BatchPattern(TOPICS.createMedia.name, ONE_AT_A_TIME)
  async create(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const outcomes: BatchOutcome[] = [];
    for (const { value, correlationId } of requests) {
      const asked = commandIn(value);
      const reply = await createMedia(asked, this.files, (work) =>
        this.database.command(asked, correlationId, work),
      );
      // Also after a refused or repeated request: its reply is stored, and the upload is not needed any more.
      await this.forgetUpload(asked);
      outcomes.push({ reply });
    }
    return outcomes;
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
