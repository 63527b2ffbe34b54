/** A walk over a table in the order of its ids begins after this one, which no row has. */
export const BEFORE_EVERY_ID = '00000000-0000-0000-0000-000000000000';
