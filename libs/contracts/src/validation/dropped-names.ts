/** Member names that would reach into JavaScript's own objects are dropped wherever they stand (interface page, section 1). */
export const DROPPED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** So are client fields that claim a trust class, at any place (interface page, section 2). */
export const TRUST_NAMES: ReadonlySet<string> = new Set(['trust', 'trust_class', 'trust_level']);
