/**
 * Whether a message itself caused the failure, so that it would fail again at any place and time. Every other
 * error, known or not, counts as environmental (a changed password, a revoked grant, a full disk, a
 * certificate) and ends without a change of the message. The choice is safe: to treat such a fault as poison
 * loses good messages, to treat poison as such a fault only delays what is behind it.
 *
 * - SQLSTATE 22 (data exception), 23 (integrity constraint violation) and 54 (program limit exceeded);
 * - an error class of the language itself, thrown by code that meets a value it was not written for. The
 *   innermost informative cause decides: `TypeError: fetch failed` hides a refused connection.
 */
export function isPoison(error: unknown): boolean {
  let innermost: unknown = undefined;
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && isErrorLike(current); depth++) {
    const state = sqlStateOf(current);
    if (state !== undefined) return POISON_CLASSES.includes(state.slice(0, SQL_CLASS_LENGTH));
    innermost = current;
    current = current.cause;
  }
  return isErrorLike(innermost) && LANGUAGE_ERRORS.includes(innermost.name);
}

const POISON_CLASSES: readonly string[] = ['22', '23', '54'];
const SQL_CLASS_LENGTH = 2;
const LANGUAGE_ERRORS: readonly string[] = [
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'URIError',
  'EvalError',
];
/** System errors can also have five capital letters (`EPIPE`), but no SQLSTATE class starts with an E. */
const SQL_STATE = /^(?!E)[0-9A-Z]{5}$/;
const MAX_CAUSES = 5;

interface ErrorLike {
  readonly name: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** By shape: an error of another realm (a test's, a worker's) is not an instance of ours. */
function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

function sqlStateOf({ code }: ErrorLike): string | undefined {
  return typeof code === 'string' && SQL_STATE.test(code) ? code : undefined;
}
