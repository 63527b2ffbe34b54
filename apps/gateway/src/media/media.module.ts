import { Module } from '@nestjs/common';
import { MEDIA_FILE_LIMIT_BYTES } from '@truetally/contracts/management';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { BodyBudget } from '../http/body-budget.js';
import { ResourceApi } from '../http/resource-api.js';
import { MediaFileReader } from './media-file-reader.js';
import { MediaLinks } from './media-links.js';
import { MediaStore } from './media-store.js';
import { MediaUploader } from './media-uploader.js';
import { MediaController } from './media.controller.js';
import { ReadMediaFileController } from './read-media-file.controller.js';

/** Each takes its place on the disk, and until it is answered its turn at the service that decodes. */
const UPLOADS_AT_ONCE = 32;
const UPLOADS_OF_A_WORKSPACE = 8;

/** Merchants' pictures, from the form to the file that anybody may read (interface page, section 9). */
@Module({
  controllers: [MediaController, ReadMediaFileController],
  providers: [
    provide(MediaStore, [GatewayFoundation], async ({ config, log, closing }) => {
      const media = await MediaStore.open(config.mediaStore, log);
      closing.add(() => media.close());
      return media;
    }),
    provide(MediaLinks, [GatewayFoundation], ({ config }) => new MediaLinks(config.mediaBaseUrl)),
    provide(MediaUploader, [ResourceApi, MediaStore, MediaLinks], (api, { store }, links) => {
      const budget = new BodyBudget(
        UPLOADS_AT_ONCE * MEDIA_FILE_LIMIT_BYTES,
        UPLOADS_OF_A_WORKSPACE * MEDIA_FILE_LIMIT_BYTES,
      );
      return new MediaUploader({ api, store, links, budget });
    }),
    provide(MediaFileReader, [MediaStore], ({ store }) => new MediaFileReader(store)),
  ],
})
export class MediaModule {}
