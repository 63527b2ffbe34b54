import type { Provider } from '@nestjs/common';
import { MEDIA_FILE_LIMIT_BYTES } from '@truetally/contracts/management';
import type { ObjectStore } from '@truetally/object-store';
import { BodyBudget } from '../http/body-budget.js';
import type { Entrance } from '../http/entrance.js';
import type { ManagementApi } from '../management/management-api.js';
import { MediaFileReader } from './media-file-reader.js';
import { MediaLinks } from './media-links.js';
import { MediaUploader } from './media-uploader.js';

/** Each takes its place on the disk, and until it is answered its turn at the service that decodes. */
const UPLOADS_AT_ONCE = 32;

export function mediaProviders(parts: {
  readonly entrance: Entrance;
  readonly api: ManagementApi;
  readonly store: ObjectStore;
  readonly mediaBaseUrl: string;
}): Provider[] {
  const { entrance, api, store, mediaBaseUrl } = parts;
  const links = new MediaLinks(mediaBaseUrl);
  const budget = new BodyBudget(UPLOADS_AT_ONCE * MEDIA_FILE_LIMIT_BYTES);
  const uploader = new MediaUploader({ entrance, api, store, links, budget });
  return [
    { provide: MediaLinks, useValue: links },
    { provide: MediaUploader, useValue: uploader },
    { provide: MediaFileReader, useValue: new MediaFileReader(store) },
  ];
}
