import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { AnswersFile, Cacheable, Credential } from '../http/route-rules.js';
import { ApiDocument } from './api-document.js';

@Controller('api')
export class ReadDocumentController {
  constructor(@Inject(ApiDocument) private readonly document: ApiDocument) {}

  @Get('openapi.json')
  @Credential('public')
  @AnswersFile('application/json')
  @Cacheable()
  read(@Res() { exchange }: EdgeResponse): void {
    this.document.answer(exchange);
  }
}
