import { failure } from '@truetally/kernel';

/** As the gateway answers a moment later, when it has heard of the deletion too. */
export const SITE_ERASED = failure('UNAUTHORIZED', 'The site has been deleted.').error;
