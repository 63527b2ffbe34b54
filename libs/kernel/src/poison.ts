/**
 * Whether a message itself is why it could not be handled: the same message would fail again wherever and whenever it
 * is tried. Everything else, also what nobody has heard of yet, is taken for a fault of the surroundings (a changed
 * password, a revoked grant, a full disk, a certificate), which ends without the message being changed: to take such a
 * fault for poison loses good messages, and to take poison for such a fault only delays what stands behind it.
 * - SQLSTATE 22 (data exception), 23 (a constraint refuses it) and 54 (too large for an index or a statement);
 * - an error class of the language itself, which code throws that meets a value it was not written for.
 * The innermost cause that says something decides: `TypeError: fetch failed` hides a refused connection.
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
/** Errors of the system have five capital letters too (`EPIPE`), but no SQLSTATE class begins with an E. */
const SQL_STATE = /^(?!E)[0-9A-Z]{5}$/;
const MAX_CAUSES = 5;

interface ErrorLike {
  readonly name: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** By shape: an error of another realm (a test's, a worker's) is no instance of ours. */
function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

function sqlStateOf({ code }: ErrorLike): string | undefined {
  return typeof code === 'string' && SQL_STATE.test(code) ? code : undefined;
}
