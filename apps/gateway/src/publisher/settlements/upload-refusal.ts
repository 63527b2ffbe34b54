import type { FieldErrors } from '@truetally/kernel';
import type { RefusalName } from '../../http/errors.js';

/** Ends the reading of an upload at any depth; the request is refused with it. */
export class UploadRefusal extends Error {
  override readonly name = 'UploadRefusal';

  constructor(
    readonly refusal: RefusalName,
    readonly details?: FieldErrors,
  ) {
    super(`The upload is refused: ${refusal}.`);
  }
}
