import { Resource } from '../resource/resource.js';
import { UUID } from '@truetally/kernel';
import { compileReader } from '../validation/compile-validator.js';
import { HttpUrl, Matching, NonEmptyText, OneOf, WholeNumber } from '../validation/decorators.js';

/** Types of pictures that are accepted and served (interface page, section 9), by file extension. */
export const MEDIA_TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
} as const;
/** Extension of a stored picture's file name. */
export type MediaExtension = keyof typeof MEDIA_TYPES;
/** Media type of a stored picture. */
export type MediaContentType = (typeof MEDIA_TYPES)[MediaExtension];

/** Interface page, section 9: 413 beyond it. */
export const MEDIA_FILE_LIMIT_BYTES = 10 * 1024 * 1024;
/** Beyond the size of any accepted picture. */
const PIXELS = { min: 1, max: 100_000 };
/** A re-encoded picture may be larger than the upload. */
const FILE_BYTES = { min: 1, max: 1024 ** 3 };
const URL_LENGTH = { max: 2_048 };
/** Name of the form field that contains the picture. */
export const MEDIA_FIELD = 'file';

/** In the object store: public files, as `<sha-256 of the content, hex>.<extension>`. */
export const MEDIA_FOLDER = 'media';
/** In the object store: uploads before they are checked, by the upload's id. */
export const INCOMING_FOLDER = 'incoming';

const FILE_NAME = /^[0-9a-f]{64}\.(png|jpg|webp|gif)$/;

/** The type of a public file by its name; undefined for an invalid name. */
export function mediaTypeOfFile(name: string): MediaContentType | undefined {
  const extension = FILE_NAME.exec(name)?.[1];
  return extension === undefined ? undefined : MEDIA_TYPES[extension as MediaExtension];
}

/** `management.create-media`: the file is in the object store already, under `incoming/<upload_id>`. */
export class CreateMediaBody {
  @Matching(UUID, 'a UUID') upload_id!: string;
}

/** Validates the message on `management.create-media`. */
export const validateCreateMedia = compileReader(CreateMediaBody, { unknownFields: 'refused' });

class Picture extends Resource {
  /** As displayed: the EXIF orientation of the original is applied. Of an animation, one frame's. */
  @WholeNumber(PIXELS) readonly width!: number;
  @WholeNumber(PIXELS) readonly height!: number;
  /** Size of the public file, which differs from the upload. */
  @WholeNumber(FILE_BYTES) readonly bytes!: number;
  @OneOf(Object.values(MEDIA_TYPES)) readonly content_type!: MediaContentType;
}

/** A picture in management's answer; the gateway adds its URL. */
export class StoredMedia extends Picture {
  /** The public file's name. */
  @NonEmptyText(URL_LENGTH) readonly file!: string;
}

/** A picture as clients read it (interface page, section 9). */
export class MediaResource extends Picture {
  /** Absolute; the content under it never changes. */
  @HttpUrl(URL_LENGTH) readonly url!: string;
}
