import { checkImages } from './images/check-images.js';

process.exitCode = await checkImages();
