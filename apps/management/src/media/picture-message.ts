import type { MediaExtension } from '@truetally/contracts/management';

/** To the image process: read one file and write another. */
export interface PictureRequest {
  readonly input: string;
  /** Exists, and is empty. */
  readonly output: string;
}

/** What was written: the same picture without anything but its pixels. */
export interface Picture {
  readonly extension: MediaExtension;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  /** Of the written file, hex. */
  readonly sha256: string;
}

/**
 * From the image process. A refusal says what the file must be, for the sender of the file to read. A failure is no fault
 * of the file: the disk is full, or no process can be started. The file is to be tried again.
 */
export type PictureReply = { readonly picture: Picture } | PictureRefusal | { readonly failure: string };
export type PictureRefusal = { readonly refusal: string };
