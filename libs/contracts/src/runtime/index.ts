export { RuntimeTokenRequest } from './create-runtime-token.js';
