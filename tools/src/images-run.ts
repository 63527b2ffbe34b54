import { runImages } from './images/run-images.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say: images-run <folder of built images>');
process.exitCode = await runImages(folder);
