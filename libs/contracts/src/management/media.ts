import type { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, succeed, UUID } from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import { Matching } from '../validation/decorators.js';

/** What a picture is sent as and given back as (interface page, section 9), by the ending of its file's name. */
export const MEDIA_TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
} as const;
export type MediaExtension = keyof typeof MEDIA_TYPES;
export type MediaContentType = (typeof MEDIA_TYPES)[MediaExtension];

/** Interface page, section 9: 413 beyond it. */
export const MEDIA_FILE_LIMIT_BYTES = 10 * 1024 * 1024;
/** The one field of the form. */
export const MEDIA_FIELD = 'file';

/** In the object store: what anybody may read, under `<sha-256 of the content, hex>.<extension>`. */
export const MEDIA_FOLDER = 'media';
/** In the object store: what merchants sent and nobody has looked at yet, under the upload's id. */
export const INCOMING_FOLDER = 'incoming';

const FILE_NAME = /^[0-9a-f]{64}\.(png|jpg|webp|gif)$/;

/** The type of a public file by its name; undefined for what can be no name of one. */
export function mediaTypeOfFile(name: string): MediaContentType | undefined {
  const extension = FILE_NAME.exec(name)?.[1];
  return extension === undefined ? undefined : MEDIA_TYPES[extension as MediaExtension];
}

/** `management.create-media`: the file is in the object store already, under `incoming/<upload_id>`. */
export class CreateMediaBody {
  @Matching(UUID, 'a UUID') upload_id!: string;
}

const validate = compileValidator(CreateMediaBody, { unknownFields: 'refused' });

export function readCreateMedia(body: unknown): BodyReading<CreateMediaBody> {
  const violations = validate(body);
  return violations.length > 0 ? fail(toFieldErrors(violations)) : succeed(body as CreateMediaBody);
}

interface Picture extends Resource {
  /** As shown: an orientation in the original's EXIF is applied. Of an animation, one frame's. */
  readonly width: number;
  readonly height: number;
  /** Of the public file, which is not the one that was sent. */
  readonly bytes: number;
  readonly content_type: MediaContentType;
}

/** A picture as management answers it: where files are read is the gateway's to say. */
export interface StoredMedia extends Picture {
  /** The public file's name. */
  readonly file: string;
}

/** A picture as clients read it (interface page, section 9). */
export interface MediaResource extends Picture {
  /** Absolute; the content under it never changes. */
  readonly url: string;
}
