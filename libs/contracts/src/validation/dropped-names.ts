/** Names that reach into JavaScript's own objects are dropped at any depth (interface page, section 1). */
export const DROPPED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Client fields that claim a trust class are dropped too, at any depth (interface page, section 2). */
export const TRUST_NAMES: ReadonlySet<string> = new Set(['trust', 'trust_class', 'trust_level']);
