import { type FieldErrors, fail, type Result, succeed } from '@truetally/kernel';
import type { Visit } from './targeting.js';

export const VISIT_QUERY = ['session_id', 'page_url', 'language', 'device_type'] as const;

/** As long as they may be in an event (interface page, section 4). */
const MAX_CHARACTERS: Readonly<Record<(typeof VISIT_QUERY)[number], number>> = {
  session_id: 128,
  page_url: 2_048,
  language: 256,
  device_type: 256,
};

/** What a page says of itself. It need not say anything; what is empty is not said. */
export function readVisit(query: URLSearchParams | undefined): Result<Visit, FieldErrors> {
  const errors: Record<string, readonly string[]> = {};
  for (const name of VISIT_QUERY) {
    const values = query?.getAll(name) ?? [];
    // Of two, nobody could say which is meant.
    if (values.length > 1) errors[name] = ['must be given once'];
    else if (isLongerThan(values[0] ?? '', MAX_CHARACTERS[name])) {
      errors[name] = [`must be at most ${MAX_CHARACTERS[name]} characters`];
    }
  }
  if (Object.keys(errors).length > 0) return fail(errors);
  const said = (name: string): string | undefined => query?.get(name) || undefined;
  return succeed({
    pageUrl: said('page_url'),
    language: said('language')?.toLowerCase(),
    deviceType: said('device_type')?.toLowerCase(),
  });
}

/** In code points. */
function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || Array.from(text).length > max);
}
