import { FairQueue } from '@truetally/kernel';
import { Module } from '@nestjs/common';
import { OPEN_OBJECTS_LIMIT } from '@truetally/object-store';
import { MEDIA_FILE_LIMIT_BYTES } from '@truetally/contracts/management';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { AddressSlots, BodyBudget, ClientAddresses } from '../http/shares.js';
import { ResourceApi } from '../ask/resource.js';
import { MediaFileReader } from './media-file-reader.js';
import { MediaLinks } from './media-links.js';
import { MediaStore } from './media-store.js';
import { MediaUploader } from './media-uploader.js';
import { MediaController } from './media.controller.js';
import { ReadMediaFileController } from './read-media-file.controller.js';

/** Each occupies disk space, and until it is answered a place in the decoding queue. */
const UPLOADS_AT_ONCE = 32;
const UPLOADS_OF_A_WORKSPACE = 8;
/** Sent to the decoding service at a time; others wait here, owners in turn. */
const DECODED_AT_ONCE = 2;

/** Maximum number of concurrently open files per client address. */
const FILES_PER_ADDRESS = 32;

/** Merchants' pictures, from the form to the public file (interface page, section 9). */
@Module({
  controllers: [MediaController, ReadMediaFileController],
  providers: [
    provide(MediaStore, [GatewayFoundation], async ({ config, log, closing }) => {
      const media = await MediaStore.open(config.mediaStore, log);
      closing.add(() => media.close());
      return media;
    }),
    provide(MediaLinks, [GatewayFoundation], ({ config }) => new MediaLinks(config.mediaBaseUrl)),
    provide(
      MediaUploader,
      [ResourceApi, MediaStore, MediaLinks, MemberDirectory],
      (api, { store }, links, members) => {
        const budget = new BodyBudget(
          UPLOADS_AT_ONCE * MEDIA_FILE_LIMIT_BYTES,
          UPLOADS_OF_A_WORKSPACE * MEDIA_FILE_LIMIT_BYTES,
        );
        return new MediaUploader({
          queue: new FairQueue(DECODED_AT_ONCE),
          api,
          store,
          links,
          budget,
          members,
        });
      },
    ),
    provide(
      MediaFileReader,
      [MediaStore, ClientAddresses],
      ({ store }, addresses) =>
        new MediaFileReader(store, addresses, new AddressSlots(OPEN_OBJECTS_LIMIT, FILES_PER_ADDRESS)),
    ),
  ],
})
export class MediaModule {}
