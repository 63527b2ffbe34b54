export { RuntimeTokenAnswer, RuntimeTokenRequest } from './create-runtime-token.js';
