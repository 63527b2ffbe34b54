/** Who can sign in at the local issuer: their `sub`, and how the page names them. */
export const LOCAL_PEOPLE = {
  'demo-owner': 'Olga, owner',
  'demo-admin': 'Adam, admin',
  'demo-analyst': 'Anna, analyst',
  'demo-outsider': 'Oscar, owner of another workspace',
} as const;

/** The `sub` of somebody who can sign in. */
export type LocalPerson = keyof typeof LOCAL_PEOPLE;

export function isLocalPerson(value: string | null): value is LocalPerson {
  return value !== null && Object.hasOwn(LOCAL_PEOPLE, value);
}

/** The only address that a mail of theirs would have. */
export function emailOf(person: LocalPerson): string {
  return `${person}@shop.example`;
}
