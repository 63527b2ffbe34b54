// Breaks a document in one way, so that the check of compatibility is itself checked: without arguments the names of
// the ways, with a name and a document the broken document.
import { readFileSync } from 'node:fs';

const schemaOf = (document, name) => document.components.schemas[name];

function withoutField(schema, name) {
  schema.properties = Object.fromEntries(Object.entries(schema.properties).filter(([one]) => one !== name));
  schema.required = schema.required.filter((one) => one !== name);
}

const CHANGES = {
  'openapi:answer-loses-field': (document) => withoutField(schemaOf(document, 'TrackedEvent'), 'timestamp'),
  'openapi:answer-gains-value': (document) =>
    schemaOf(document, 'SiteResource').properties.publisher_mode.enum.push('other'),
  'openapi:field-becomes-required': (document) => schemaOf(document, 'TrackEvent').required.push('user_id'),
  'openapi:operation-is-removed': (document) => delete document.paths['/api/v1/jobs'],
  'openapi:operation-is-renamed': (document) => {
    document.paths['/api/v1/jobs'].get.operationId = 'findJobs';
  },
  'asyncapi:topic-is-removed': (document) => delete document.paths['/events.stored.v1'],
  'asyncapi:fact-loses-field': (document) => withoutField(schemaOf(document, 'StoredEvent'), 'trust'),
  'asyncapi:field-changes-type': (document) => {
    schemaOf(document, 'StoredEvent').properties.is_bot.type = 'string';
  },
};

const [, , name, file] = process.argv;
if (name === undefined) console.log(Object.keys(CHANGES).join('\n'));
else {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  CHANGES[name](document);
  console.log(JSON.stringify(document));
}
