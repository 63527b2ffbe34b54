import { randomUUID } from 'node:crypto';
import { NETWORK_PROVIDERS, type NetworkProvider } from '@truetally/contracts/management';
import { ENCODED_UPLOAD_LIMIT_BYTES, UPLOADS_FOLDER } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { KeyringFile } from '@truetally/keyring';
import { type ObjectStore, StoreUnavailableError } from '@truetally/object-store';
import type { MemberDirectory } from '../../credentials/member-directory.js';
import type { BodyBudget } from '../../http/shares.js';
import { uploadTypeOf } from './upload-type.js';
import type { Exchange } from '../../http/exchange.js';
import { readConditions } from '../../http/request-headers.js';
import type { ResourceApi } from '../../ask/resource.js';
import { refuse } from '../../http/respond.js';
import type { IntegrationReader } from './integration-reader.js';
import { readCsvRows } from './read-csv-rows.js';
import { readJsonRows } from './read-json-rows.js';
import { readUploadText } from './read-upload-text.js';
import { UploadRefusal } from './upload-refusal.js';
import { type UploadContent, writeUpload, type WrittenUpload } from './write-upload.js';

export interface SettlementUploaderParts {
  readonly api: ResourceApi;
  readonly integrations: IntegrationReader;
  readonly keys: Pick<KeyringFile, 'keyring'>;
  readonly store: ObjectStore;
  /** Disk budget of all concurrently arriving files. */
  readonly budget: BodyBudget;
  readonly members: Pick<MemberDirectory, 'holdersOf'>;
}

/**
 * `POST /integrations/{id}/settlements`: the file is read as a stream, its rows are sealed in the object
 * store, and a job imports them from there (docs/decisions/publisher.md).
 */
export class SettlementUploader {
  constructor(private readonly parts: SettlementUploaderParts) {}

  async upload(exchange: Exchange, id: string): Promise<void> {
    const { integrations, api, budget, members } = this.parts;
    const caller = exchange.callerWithLimit();
    const holders = members.holdersOf(caller);
    const conditions = readConditions(exchange.incoming);
    if (!conditions.ok) return refuse(exchange, 'broken-rules', conditions.error);
    const integration = await integrations.find(exchange, caller, id);
    if (integration === undefined) return;
    const provider = NETWORK_PROVIDERS.find((one) => one === integration.provider);
    if (provider === undefined) return refuse(exchange, 'no-network');
    try {
      if (!budget.take(holders, ENCODED_UPLOAD_LIMIT_BYTES)) return refuse(exchange, 'unavailable');
      const { uploadId, rows, sha256 } = await this.receive(exchange, provider);
      const target = { to: OPERATIONS.beginSettlementsImport, params: { id } };
      const outcome = await api.acceptReceived(exchange, target, {
        caller,
        body: { upload_id: uploadId, rows },
        fingerprinted: sha256,
      });
      if (outcome === 'refused' || outcome === 'replayed') await this.forget(uploadId);
    } catch (error) {
      if (error instanceof UploadRefusal) refuse(exchange, error.refusal, error.details);
      else if (error instanceof StoreUnavailableError) refuse(exchange, 'unavailable');
      else throw error;
    } finally {
      budget.release(holders, ENCODED_UPLOAD_LIMIT_BYTES);
    }
  }

  /**
   * Deletes the file of a request that began no job. The request is already answered; if this fails, the sweep
   * deletes the file.
   */
  private async forget(uploadId: string): Promise<void> {
    try {
      await this.parts.store.delete(`${UPLOADS_FOLDER}/${uploadId}`);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }

  /** @throws UploadRefusal and StoreUnavailableError */
  private async receive(
    exchange: Exchange,
    provider: NetworkProvider,
  ): Promise<WrittenUpload & { readonly uploadId: string }> {
    const type = uploadTypeOf(exchange.request.headers['content-type']);
    if (type === undefined) throw new UploadRefusal('unsupported-upload');
    const draft = await this.parts.store.draft();
    try {
      const uploadId = randomUUID();
      const text = readUploadText(exchange);
      const content = type === 'csv' ? await csvContent(text, provider) : jsonContent(text);
      const written = await writeUpload(draft.path, { uploadId, ...content }, this.parts.keys.keyring);
      await draft.publish(`${UPLOADS_FOLDER}/${uploadId}`);
      return { uploadId, ...written };
    } finally {
      await draft.discard();
    }
  }
}

type Content = Omit<UploadContent, 'uploadId'>;

async function csvContent(text: AsyncGenerator<string>, provider: NetworkProvider): Promise<Content> {
  const { columns, rows } = await readCsvRows(text, provider);
  return { isChangeTimed: columns.map.isChangeTimed, rows };
}

function jsonContent(text: AsyncGenerator<string>): Content {
  return { isChangeTimed: true, rows: readJsonRows(text) };
}
