/**
 * A person's own rows of `members`: the one of the subject, and the one of the verified address while no
 * subject has accepted it. `$1` is the subject, `$2` the address.
 */
export const OWN_MEMBERSHIP = '(subject = $1 or (email = $2 and subject is null))';
