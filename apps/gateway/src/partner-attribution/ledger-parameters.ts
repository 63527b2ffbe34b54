import { SEQUENCE, SEQUENCE_FORM } from '@truetally/contracts/attribution';
import { isLongerThan, textShapeOf, UNSTORABLE } from '@truetally/contracts/validation';
import { isStorableText } from '@truetally/kernel';
import { parameter, type QueryParameter } from '../http/query-reader.js';

const ID_CHARACTERS = 128;

/** An id, or a part of one, as the ledger stores ids. @param least characters */
export const identifierOf = (least: number): QueryParameter =>
  parameter({ type: 'string', minLength: least, maxLength: ID_CHARACTERS }, (value) =>
    !isStorableText(value)
      ? UNSTORABLE
      : !isLongerThan(value, ID_CHARACTERS) && isLongerThan(value, least - 1)
        ? undefined
        : `must be ${least} to ${ID_CHARACTERS} characters; got ${textShapeOf(value)}`,
  );

/** A position in a chain. */
export const sequenceParameter = parameter({ type: 'string', pattern: SEQUENCE.source }, (value) =>
  SEQUENCE.test(value) ? undefined : `must be ${SEQUENCE_FORM}`,
);
