import type { MediaResource, StoredMedia } from '@truetally/contracts/management';

/** Where picture files are public: at this gateway, or at a CDN in front of it or of the bucket. */
export class MediaLinks {
  /** @param baseUrl absolute, with or without a trailing slash */
  constructor(private readonly baseUrl: string) {}

  /** The picture with its URL in place of its file name. */
  readonly present = ({ file, id, ...rest }: StoredMedia): MediaResource => {
    return { id, url: `${this.baseUrl.replace(/\/+$/, '')}/${file}`, ...rest };
  };
}
