/** What a touch's click value is sealed for: nobody can put it beside another touch, or another site's. */
export function clickSealContext(siteId: string, touchId: string): readonly string[] {
  return ['click', siteId, touchId];
}

/**
 * What a click value is matched by. The site is part of it, so that two sites' tables do not tell that one click came
 * to both; the provider is not, since a value is compared with those of its provider only.
 */
export function clickMatchFields(siteId: string, clickValue: string): readonly string[] {
  return ['click', siteId, clickValue];
}
