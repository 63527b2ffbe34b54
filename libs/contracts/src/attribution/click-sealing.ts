/** Seal context of a touch's click value: the sealed value cannot be moved to another touch or site. */
export function clickSealContext(siteId: string, touchId: string): readonly string[] {
  return ['click', siteId, touchId];
}

/**
 * Fields of the keyed hash by which click values are matched. The site is included, so that the tables of two
 * sites do not reveal that they saw the same click. The provider is not: values are compared within one
 * provider only.
 */
export function clickMatchFields(siteId: string, clickValue: string): readonly string[] {
  return ['click', siteId, clickValue];
}
