import { chartServices } from './chart/chart-services.js';

process.stdout.write(chartServices());
