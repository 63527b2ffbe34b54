import { MEDIA_FOLDER, type MediaContentType, mediaTypeOfFile } from '@truetally/contracts/management';
import { type ObjectStore, type OpenedObject, StoreUnavailableError } from '@truetally/object-store';
import type { AddressSlots, ClientAddresses } from '../http/shares.js';
import { isCached } from '../http/entity-tag.js';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import { answerFile, answerNotModified } from './respond-file.js';

/** `GET /public/media/{file}`: a public picture file, named by its content. */
export class MediaFileReader {
  /** @param slots held while a reader reads */
  constructor(
    private readonly store: ObjectStore,
    private readonly addresses: ClientAddresses,
    private readonly slots: AddressSlots,
  ) {}

  async read(exchange: Exchange, file: string): Promise<void> {
    const contentType = mediaTypeOfFile(file);
    if (contentType === undefined) return refuse(exchange, 'not-found');
    const address = this.addresses.of(exchange.request);
    if (!this.slots.take(address)) return refuse(exchange, 'unavailable');
    try {
      await this.send(exchange, file, contentType);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      refuse(exchange, 'unavailable');
    } finally {
      this.slots.giveBack(address);
    }
  }

  private async send(exchange: Exchange, file: string, contentType: MediaContentType): Promise<void> {
    const key = `${MEDIA_FOLDER}/${file}`;
    const etag = `"${file}"`;
    const { method, headers } = exchange.request;
    const isKnown = isCached(headers['if-none-match'], etag);
    if (method === 'HEAD' || isKnown) {
      const found = await this.store.describe(key);
      if (found === undefined) return refuse(exchange, 'not-found');
      if (isKnown) return answerNotModified(exchange, etag);
      return answerFile(exchange, { etag, contentType, bytes: found.bytes });
    }
    const opened: OpenedObject | undefined = await this.store.open(key);
    if (opened === undefined) return refuse(exchange, 'not-found');
    await answerFile(exchange, { etag, contentType, bytes: opened.bytes, body: opened.body });
  }
}
