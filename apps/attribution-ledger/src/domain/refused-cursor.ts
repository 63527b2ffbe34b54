import { type Failure, failure } from '@truetally/kernel';

export function refusedCursor(): { readonly error: Failure } {
  return failure('VALIDATION_ERROR', 'The cursor is not one of ours', {
    cursor: ['must be the next_cursor of a page'],
  });
}
