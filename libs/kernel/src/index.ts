export { type Acceptance, acceptance } from './acceptance.js';
export { formatAddress, readAddress } from './address.js';
export {
  beginningOf,
  Calendar,
  type CalendarInterval,
  type Day,
  dayAfter,
  daysBetween,
  END_OF_DAYS,
  nextBeginning,
  readDay,
} from './calendar.js';
export { currencyCodes, minorDigitsOf } from './currencies.js';
export { cursorBehind, cursorOf, type Position, readCursor } from './cursor.js';
export { type Decimal, DECIMAL_DIGITS, formatDecimal, parseDecimal, powerOfTen } from './decimal.js';
export { FairQueue } from './fair-queue.js';
export { fitting } from './fitting.js';
export {
  fingerprint,
  fingerprintHex,
  uuidFromFingerprint,
  uuidFromFingerprintHex,
  writeFingerprintUuid,
} from './fingerprint.js';
export { formatInstant, formatInstantPrecisely, type Instant, parseInstant } from './instant.js';
export { JsonCut, type JsonTexts } from './json-compact.js';
export { JSON_NESTING_LIMIT, type JsonFault, type JsonReading, parseOwnJson, readJson } from './json-text.js';
export { mergePatch, patchFields } from './merge-patch.js';
export { allocate, formatMinor, MAX_MINOR, multiplyToMinor, roundHalfEven, toMinor } from './money.js';
export { type Period, readPeriod } from './period.js';
export { isPoison } from './poison.js';
export { isRawNumber, numberOf, type RawNumber } from './raw-number.js';
export {
  COMMAND_AGE_LIMIT_DAYS,
  DAY_MS,
  DEAD_LETTER_GONE_DAYS,
  DEAD_LETTER_RETENTION_DAYS,
  LOG_SEGMENT_DAYS,
  REMEMBERED_DAYS,
  REPLAY_AGE_LIMIT_DAYS,
  REQUEST_RETENTION_DAYS,
} from './redelivery.js';
export { type Failure, type FailureCode, type FieldErrors, failure, type Reply } from './reply.js';
export { compareRevisions, NO_REVISION, type Revision } from './revision.js';
export { fail, type Result, succeed, unreachable } from './result.js';
export { isSameJson } from './same-json.js';
export {
  holdsUnstorableNumber,
  isStorableText,
  nestsDeeperThan,
  STORABLE_DIGITS,
  toStorableJson,
  toStorableText,
} from './storable-text.js';
export { compareCodePoints } from './text-order.js';
export { utf8Bytes } from './utf8-bytes.js';
export { UUID, UUID_IN_ANY_CASE } from './uuid.js';
