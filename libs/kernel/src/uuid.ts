/** A UUID as this product writes it: any version, in small letters. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A UUID as clients may write it. */
export const UUID_IN_ANY_CASE = new RegExp(UUID, 'i');
