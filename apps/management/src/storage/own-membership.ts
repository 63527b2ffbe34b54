/**
 * Which rows of `members` are somebody's own: the one of the subject, and the one of the verified address as long as no
 * subject has accepted it. `$1` is the subject, `$2` the address.
 */
export const OWN_MEMBERSHIP = '(subject = $1 or (email = $2 and subject is null))';
