// A fact promises to its readers what an answer promises to a client: an OpenAPI document with an operation for each
// topic, whose answer is the topic's message. A differ of OpenAPI documents then judges facts by the same rules.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const [, , file] = process.argv;
const { channels, components } = parse(readFileSync(file, 'utf8'));
const messageOf = ({ $ref }) => components.messages[$ref.split('/').at(-1)];
const paths = Object.entries(channels).map(([name, { address, messages }]) => {
  const schemas = Object.values(messages).map((message) => messageOf(message).payload);
  const schema = schemas.length === 1 ? schemas[0] : { oneOf: schemas };
  const answer = { description: 'A fact.', content: { 'application/json': { schema } } };
  return [`/${address}`, { get: { operationId: name, responses: { 200: answer } } }];
});
const document = {
  openapi: '3.1.0',
  info: { title: 'Facts', version: '1.0.0' },
  paths: Object.fromEntries(paths),
  components: { schemas: components.schemas },
};
console.log(JSON.stringify(document));
