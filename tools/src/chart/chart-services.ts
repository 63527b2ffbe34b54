import { programsOf, SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { USUAL_NAMES } from '../kafka/access-rules.js';

const HEADER = '# Services of the catalogue: made by `npm run -s chart:services`.\n';

/** `k8s/chart/services.yaml`: what the chart knows of each service from the catalogue. */
export function chartServices(): string {
  const lines = SERVICE_NAMES.map(
    (name) => `${name}: { kafkaUser: ${USUAL_NAMES.userPrefix}${name}, ${placeOf(name)} }\n`,
  );
  return HEADER + lines.join('');
}

function placeOf(name: ServiceName): string {
  const { app, folder } = programsOf(name);
  return `image: ${app}, programs: service/${folder}`;
}
