import { takePictures } from './dashboard/take-pictures.js';
import { silenceDriverWarning } from './quiet-warnings.js';

silenceDriverWarning();
await takePictures(process.env, (line) => console.log(line));
process.exit();
