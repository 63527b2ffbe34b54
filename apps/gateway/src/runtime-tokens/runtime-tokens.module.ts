import { Module } from '@nestjs/common';
import { provide } from '../core/provide.js';
import { RuntimeTokens } from '../credentials/runtime-token.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { CreateRuntimeTokenController } from './create-runtime-token.controller.js';
import { RuntimeTokenIssuer } from './runtime-token-issuer.js';

/** The tokens of storefront pages (interface page, section 2). */
@Module({
  controllers: [CreateRuntimeTokenController],
  providers: [
    provide(
      RuntimeTokenIssuer,
      [SiteDirectory, RuntimeTokens],
      (...parts) => new RuntimeTokenIssuer(...parts),
    ),
  ],
})
export class RuntimeTokensModule {}
