/** A UUID in this product's form: any version, lower case. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A UUID in any case, as clients may send it. */
export const UUID_IN_ANY_CASE = new RegExp(UUID, 'i');
