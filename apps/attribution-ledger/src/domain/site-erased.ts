import { failure } from '@truetally/kernel';

/** The same answer as the gateway's a moment later, when it has received the deletion. */
export const SITE_ERASED = failure('UNAUTHORIZED', 'The site has been deleted.').error;
