/**
 * Whether a change was made for another version of a resource than the current one (interface page, section 1:
 * `If-Match`). @param version of the command; null when its caller accepts any
 */
export function isStale(version: number | null, current: number): boolean {
  return version !== null && version !== current;
}
