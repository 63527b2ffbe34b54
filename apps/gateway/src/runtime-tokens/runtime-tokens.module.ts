import { Module } from '@nestjs/common';
import { CreateRuntimeTokenController } from './create-runtime-token.controller.js';
import { RuntimeTokenIssuer } from './runtime-token-issuer.js';

/** The tokens of storefront pages (interface page, section 2). */
@Module({
  controllers: [CreateRuntimeTokenController],
  providers: [RuntimeTokenIssuer],
})
export class RuntimeTokensModule {}
