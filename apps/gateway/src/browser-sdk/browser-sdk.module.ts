import { Module } from '@nestjs/common';
import { provide } from '../core/provide.js';
import { ReadSdkFileController } from './read-sdk-file.controller.js';
import { SdkFiles } from './sdk-files.js';

/** The browser SDK as files (docs/decisions/browser-sdk.md). */
@Module({
  controllers: [ReadSdkFileController],
  providers: [provide(SdkFiles, [], () => SdkFiles.load())],
})
export class BrowserSdkModule {}
