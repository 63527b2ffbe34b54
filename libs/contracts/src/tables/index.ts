export { csvRow } from './csv-cells.js';
