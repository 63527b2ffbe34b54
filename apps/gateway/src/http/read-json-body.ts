import { BODY_PATH } from '@truetally/contracts/validation';
import { type FieldErrors, type JsonFault, readJson } from '@truetally/kernel';
import { mediaTypeOf } from './content-type.js';
import type { RefusalName } from './errors.js';
import type { Exchange } from './exchange.js';
import { type BodyRules, readBody } from './read-body.js';

/** What is wrong with a body before anybody looks at what it says. */
export interface BodyRefusal {
  readonly name: RefusalName;
  readonly details: FieldErrors;
}

export type ReadBody = { readonly body: unknown } | { readonly fault: BodyRefusal };

const NO_DETAILS: FieldErrors = {};

/** @param isTextAccepted a page's beacon may send its JSON as text/plain */
export async function readJsonBody(
  exchange: Exchange,
  rules: BodyRules,
  isTextAccepted: boolean,
): Promise<ReadBody> {
  const mediaType = mediaTypeOf(exchange.request.headers['content-type']);
  if (mediaType !== 'application/json' && !(mediaType === 'text/plain' && isTextAccepted)) {
    return { fault: { name: 'unsupported-media-type', details: NO_DETAILS } };
  }
  const text = await readBody(exchange.request, rules);
  if (!text.ok) return { fault: { name: text.error, details: NO_DETAILS } };
  const json = readJson(text.value);
  return json.ok ? { body: json.value.value } : { fault: refusalOf(json.error) };
}

function refusalOf(fault: JsonFault): BodyRefusal {
  switch (fault.kind) {
    case 'empty':
    case 'syntax':
      return { name: 'not-json', details: { [BODY_PATH]: [fault.message] } };
    case 'too-deep':
      return { name: 'too-deep', details: NO_DETAILS };
    case 'duplicate-member':
      return {
        name: 'duplicate-member',
        details: fault.path === undefined ? NO_DETAILS : { [fault.path]: ['must not be named twice'] },
      };
  }
}
