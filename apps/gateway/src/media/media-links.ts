import type { JsonObject } from '../http/resource-asker.js';

/** Where anybody reads the files of pictures: at this gateway, or at a CDN before it or before the bucket. */
export class MediaLinks {
  /** @param baseUrl absolute, with or without a slash at its end */
  constructor(private readonly baseUrl: string) {}

  /** The picture with its address in place of its file's name. */
  readonly present = ({ file, ...media }: JsonObject): JsonObject => {
    // The answer to a deletion names no file.
    if (typeof file !== 'string') return media;
    const { id, ...rest } = media;
    return { id, url: `${this.baseUrl.replace(/\/+$/, '')}/${file}`, ...rest };
  };
}
