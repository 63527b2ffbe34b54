import type { FairQueue } from '@truetally/kernel';
import { randomUUID } from 'node:crypto';
import { INCOMING_FOLDER, MEDIA_FIELD, MEDIA_FILE_LIMIT_BYTES } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type ObjectStore, StoreUnavailableError } from '@truetally/object-store';
import type { Caller } from '../credentials/caller.js';
import type { MemberDirectory } from '../credentials/member-directory.js';
import type { BodyBudget } from '../http/shares.js';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import type { ResourceApi } from '../ask/resource.js';
import { readConditions } from '../http/request-headers.js';
import type { MediaLinks } from './media-links.js';
import { type FormRules, receiveFormFile } from './receive-form-file.js';

export interface MediaUploaderParts {
  readonly api: Pick<ResourceApi, 'createReceived'>;
  readonly store: ObjectStore;
  readonly links: MediaLinks;
  /** Disk budget of all concurrently arriving files. */
  readonly budget: BodyBudget;
  readonly members: Pick<MemberDirectory, 'holdersOf'>;
  /** Limits requests to the single decoding process. */
  readonly queue: Pick<FairQueue, 'run'>;
}

const FORM_RULES: FormRules = {
  field: MEDIA_FIELD,
  fileLimitBytes: MEDIA_FILE_LIMIT_BYTES,
  /** Interface page, section 1. */
  formLimitBytes: 32 * 1024 * 1024,
  /** Below the server's timeout of 30 s for a whole request. */
  timeoutMs: 28_000,
};
/** Pictures wait for each other, and a large one takes seconds. */
const ANSWER_TIMEOUT_MS = 45_000;

/**
 * `POST /media`: the file is streamed to the object store, and management gets its position. The gateway does
 * not parse it.
 */
export class MediaUploader {
  constructor(private readonly parts: MediaUploaderParts) {}

  async upload(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const conditions = readConditions(exchange.incoming);
    if (!conditions.ok) return refuse(exchange, 'broken-rules', conditions.error);
    const { budget, members } = this.parts;
    const holders = members.holdersOf(caller);
    const [workspace = '', owner = workspace] = holders;
    try {
      if (!budget.take(holders, MEDIA_FILE_LIMIT_BYTES)) return refuse(exchange, 'unavailable');
      const upload = await this.receive(exchange);
      if (upload === undefined) return;
      await this.parts.queue.run(owner, () => this.create(exchange, caller, upload));
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      refuse(exchange, 'unavailable');
    } finally {
      budget.release(holders, MEDIA_FILE_LIMIT_BYTES);
    }
  }

  /** @returns undefined when the request was refused and answered */
  private async receive(exchange: Exchange): Promise<Upload | undefined> {
    const draft = await this.parts.store.draft();
    try {
      const file = await receiveFormFile(exchange.incoming, draft.path, FORM_RULES);
      if (!file.ok) {
        refuse(exchange, file.error.name, file.error.details);
        return undefined;
      }
      const uploadId = randomUUID();
      await draft.publish(`${INCOMING_FOLDER}/${uploadId}`);
      return { uploadId, sha256: file.value.sha256 };
    } finally {
      await draft.discard();
    }
  }

  private create(exchange: Exchange, caller: Caller, { uploadId, sha256 }: Upload): Promise<void> {
    const { api, links } = this.parts;
    const target = {
      to: OPERATIONS.createMedia,
      present: links.present,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    };
    return api.createReceived(exchange, target, {
      caller,
      body: { upload_id: uploadId },
      fingerprinted: sha256,
    });
  }
}

interface Upload {
  readonly uploadId: string;
  readonly sha256: string;
}
