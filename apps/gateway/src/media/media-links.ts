import type { JsonObject } from '../http/resource-asker.js';

/** Where picture files are public: at this gateway, or at a CDN in front of it or of the bucket. */
export class MediaLinks {
  /** @param baseUrl absolute, with or without a trailing slash */
  constructor(private readonly baseUrl: string) {}

  /** The picture with its URL in place of its file name. */
  readonly present = ({ file, ...media }: JsonObject): JsonObject => {
    // The answer to a deletion names no file.
    if (typeof file !== 'string') return media;
    const { id, ...rest } = media;
    return { id, url: `${this.baseUrl.replace(/\/+$/, '')}/${file}`, ...rest };
  };
}
