/** Routes without an audit entry, each with the reason. */
export const UNAUDITED: Readonly<Record<string, string>> = {
  'POST /api/v1/events/track': 'a fact of a visitor, kept itself',
  'POST /api/v1/events/batch': 'facts of visitors, kept themselves',
  'POST /api/v1/runtime/tokens': 'a page is given a token; nothing is kept',
  'POST /api/v1/partner-attribution/touches': 'facts of visitors, kept themselves',
  'POST /api/v1/partner-attribution/conversions': 'facts of the shop, in a ledger that is never changed',
  'POST /api/v1/partner-experiments/assignments': 'a session gets its arm, which is kept and never changes',
  'POST /api/admin/dead-letters/:id/replay': 'of no workspace; the letter itself says what became of it',
  'POST /api/admin/set-aside-facts/:service/:id/replay':
    'of no workspace; the fact itself says what became of it',
  'POST /api/admin/set-aside-facts/:service/:id/discard':
    'of no workspace; the fact itself says what became of it',
  'POST /api/admin/dead-letters/:id/discard': 'of no workspace; the letter itself says what became of it',
};
