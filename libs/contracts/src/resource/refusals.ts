import { failure, type FieldErrors } from '@truetally/kernel';

/** Refusals of commands and queries on any resource, with their messages (interface page, section 1). */
export const resourceRefusals = {
  invalid: (details: FieldErrors) => failure('VALIDATION_ERROR', 'Some fields break a rule.', details),
  badCursor: () =>
    failure('VALIDATION_ERROR', 'The cursor is not one of ours.', {
      cursor: ['must be the next_cursor of a page'],
    }),
  keyOfAnotherRequest: () =>
    failure('CONFLICT', 'The idempotency key was used for another request.', {
      'Idempotency-Key': ['was used for another request'],
    }),
  keyUnderWay: () =>
    failure('CONFLICT', 'The first request with this idempotency key is still under way.', {
      'Idempotency-Key': ['is in use by a request that is still under way'],
    }),
  keysUsedUp: (most: number) =>
    failure('CONFLICT', 'The workspace has as many answers kept under idempotency keys as it may have.', {
      idempotent_reply_bytes: [
        `must not be more than ${most} within 24 hours: send fewer keys, or smaller resources`,
      ],
    }),
  staleVersion: (current: number) =>
    failure('CONFLICT', 'The resource was changed in the meantime.', {
      version: [`is stale: the current version is ${current}`],
    }),
} as const;
