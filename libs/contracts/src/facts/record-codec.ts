import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordDescriber, type RecordDescription } from './record-describer.js';
import { RecordReader } from './record-reader.js';

/** A shape on the wire: written as JSON, and read tolerantly, so that producers may add fields. */
export interface RecordCodec<T> {
  readonly encode: (record: T) => string;
  /** Reads a text; never throws. The error names fields, never their values. */
  readonly parse: (text: string) => Result<T, string>;
  /** The same for parsed JSON. */
  readonly read: (value: unknown) => Result<T, string>;
  /** Its fields and their types, for docs/asyncapi.yaml. */
  readonly describe: () => RecordDescription;
}

/**
 * Declares a shape by how its fields are read.
 * @param faultsOf names the fields that break a rule beyond their type
 */
export function recordCodec<T>(
  fieldsOf: (reader: RecordReader) => T,
  faultsOf: (record: T) => readonly string[] = () => [],
): RecordCodec<T> {
  const readWhole = (reader: RecordReader): Result<T, string> => {
    const record = fieldsOf(reader);
    const faults = new Set([...reader.faults, ...faultsOf(record)]);
    return faults.size === 0 ? succeed(record) : fail(`unreadable: ${[...faults].join(', ')}`);
  };
  return {
    encode: (record) => JSON.stringify(record),
    parse: (text) => {
      const reader = RecordReader.of(text);
      return reader === undefined ? fail('not a JSON object') : readWhole(reader);
    },
    read: (value) => {
      const reader = RecordReader.from(value);
      return reader === undefined ? fail('not an object') : readWhole(reader);
    },
    describe: () => {
      const describer = new RecordDescriber();
      return describer.inOrderOf(Object.keys(fieldsOf(describer) as object));
    },
  };
}
