import type { MediaExtension } from '@truetally/contracts/management';

/** To the image process: read one file and write another. */
export interface PictureRequest {
  readonly input: string;
  /** Exists and is empty. */
  readonly output: string;
}

/** The written picture, which contains only pixels. */
export interface Picture {
  readonly extension: MediaExtension;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  /** Of the written file, hex. */
  readonly sha256: string;
}

/**
 * From the image process. A refusal states what the file must be, for its sender. A failure is not the file's
 * fault: the disk is full, or no process can be started; the file is retried.
 */
export type PictureReply = { readonly picture: Picture } | PictureRefusal | { readonly failure: string };
export type PictureRefusal = { readonly refusal: string };
