import { parseArgs } from 'node:util';
import { timeScreens } from './dashboard/time-screens.js';
import { walkRoutes } from './dashboard/walk-routes.js';
import { silenceDriverWarning } from './quiet-warnings.js';

silenceDriverWarning();
const { values } = parseArgs({ options: { pictures: { type: 'string' }, time: { type: 'boolean' } } });
const say = (line: string): void => console.log(line);
if (values.time === true) {
  await timeScreens(process.env, say);
  process.exit();
}
const startedAt = performance.now();
const { routes, screens, faults } = await walkRoutes(process.env, say, values.pictures);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(`${routes} routes, ${screens} screens, ${faults} faults in ${seconds} s`);
process.exit(faults === 0 ? 0 : 1);
