import { Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { provide } from '../core/provide.js';
import { routesOf } from '../door/routes.js';
import { ApiDocument } from './api-document.js';
import { ApiPage } from './api-page.js';
import { ReadDocumentController } from './read-document.controller.js';
import { ApiPageController } from './api-page.controller.js';

/** The gateway's routes for programs (docs/decisions/api-document.md). */
@Module({
  controllers: [ReadDocumentController, ApiPageController],
  providers: [
    provide(ApiDocument, [ModulesContainer], (modules) => new ApiDocument(() => routesOf(modules))),
    provide(ApiPage, [], () => ApiPage.load()),
  ],
})
export class DescribeApiModule {}
