import { MEDIA_FOLDER, type MediaContentType, mediaTypeOfFile } from '@truetally/contracts';
import { type ObjectStore, type OpenedObject, StoreUnavailableError } from '@truetally/object-store';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import { answerFile, answerNotModified } from './respond-file.js';

/** Each holds a file of the store open, for as long as its reader takes. */
const MAX_OPEN_FILES = 256;

/** `GET /public/media/{file}`: a picture's file for anybody, under a name that is its content. */
export class MediaFileReader {
  private openFiles = 0;

  constructor(private readonly store: ObjectStore) {}

  async read(exchange: Exchange, file: string): Promise<void> {
    const contentType = mediaTypeOfFile(file);
    if (contentType === undefined) return refuse(exchange, 'not-found');
    if (this.openFiles >= MAX_OPEN_FILES) return refuse(exchange, 'unavailable');
    this.openFiles += 1;
    try {
      await this.send(exchange, file, contentType);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      refuse(exchange, 'unavailable');
    } finally {
      this.openFiles -= 1;
    }
  }

  private async send(exchange: Exchange, file: string, contentType: MediaContentType): Promise<void> {
    const key = `${MEDIA_FOLDER}/${file}`;
    const etag = `"${file}"`;
    const { method, headers } = exchange.request;
    if (method === 'HEAD' || names(headers['if-none-match'], etag)) {
      const found = await this.store.describe(key);
      if (found === undefined) return refuse(exchange, 'not-found');
      if (names(headers['if-none-match'], etag)) return answerNotModified(exchange, etag);
      return answerFile(exchange, { etag, contentType, bytes: found.bytes });
    }
    const opened: OpenedObject | undefined = await this.store.open(key);
    if (opened === undefined) return refuse(exchange, 'not-found');
    await answerFile(exchange, { etag, contentType, bytes: opened.bytes, body: opened.body });
  }
}

/** Whether a client has this very file already. A weak tag is as good here: there is one content per name. */
function names(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => {
    const trimmed = tag.trim();
    return trimmed === '*' || trimmed.replace(/^W\//, '') === etag;
  });
}
