import { Controller, Get } from '@nestjs/common';
import type { Exchange } from '../http/exchange.js';
import { AnswersFile, Cacheable, Credential } from '../http/route-rules.js';
import { ApiDocument } from './api-document.js';

@Controller('api')
export class ReadDocumentController {
  constructor(private readonly document: ApiDocument) {}

  @Get('openapi.json')
  @Credential('public')
  @AnswersFile('application/json')
  @Cacheable()
  read(exchange: Exchange): void {
    this.document.answer(exchange);
  }
}
