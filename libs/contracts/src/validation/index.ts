export { type ClassSchema, compilePageSchema, compileSchema } from './compile-schema.js';
export {
  BODY_PATH,
  compileReader,
  compileValidator,
  toFieldErrors,
  type Validator,
  type ValidatorOptions,
  type Violation,
} from './compile-validator.js';
export { type Completeness, compilePicker, type Picker } from './compile-picker.js';
export { DROPPED_NAMES, TRUST_NAMES } from './dropped-names.js';
export type { DtoClass } from './compile-fields.js';
export { PROVIDER, PROVIDER_FORM, UUID, UUID_FORM, UUID_PATTERN } from './forms.js';
export { type JsonSchema, matching, oneOf, UNSTORABLE } from './rules.js';
export { SchemaCollection } from './schema-collection.js';
export { compileClass } from './compile-fields.js';
export { ReachableAddresses } from './reachable-addresses.js';
export { plainUrlOf } from './http-url.js';
export { isJsonObject, isLongerThan, textShapeOf } from './shape.js';
