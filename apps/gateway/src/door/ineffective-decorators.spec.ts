import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import {
  All,
  Body,
  Controller,
  createParamDecorator,
  Get,
  Header,
  HttpCode,
  Injectable,
  Ip,
  Module,
  type ModuleMetadata,
  Param,
  Query,
  Redirect,
  Render,
  Req,
  Res,
  Scope,
  SetMetadata,
  Sse,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  Version,
} from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  ModulesContainer,
  NestFactory,
} from '@nestjs/core';
import { routesOf } from './routes.js';
import { Credential } from '../http/route-rules.js';

@Injectable()
class Guard {
  canActivate(): boolean {
    return false;
  }
}
@Injectable()
class Pipe {
  transform(value: unknown): unknown {
    return value;
  }
}
@Injectable()
class Interceptor {
  intercept(): never {
    throw new Error('It is never called.');
  }
}
@Injectable()
class Filter {
  catch(): void {
    return undefined;
  }
}

const OWN = createParamDecorator(() => 'own');

/** By the name that the error shall have. */
const ON_METHODS_AND_CLASSES: Readonly<Record<string, ClassDecorator & MethodDecorator>> = {
  '@UseGuards': UseGuards(Guard),
  '@UsePipes': UsePipes(Pipe),
  '@UseInterceptors': UseInterceptors(Interceptor),
  '@UseFilters': UseFilters(Filter),
  'The metadata "roles"': SetMetadata('roles', ['owner']) as ClassDecorator & MethodDecorator,
};

const ON_METHODS: Readonly<Record<string, MethodDecorator>> = {
  ...ON_METHODS_AND_CLASSES,
  '@Version': Version('2'),
  '@Header': Header('X-Frame-Options', 'DENY'),
  '@HttpCode': HttpCode(202),
  '@Redirect': Redirect('/elsewhere'),
  '@Render': Render('page'),
  '@Sse': Sse('events'),
  '@ALL': All(),
  'The path ["one","two"]': Get(['one', 'two']),
  'The path "*rest"': Get('*rest'),
};

const ON_PARAMETERS: Readonly<Record<string, ParameterDecorator>> = {
  '@Body': Body(),
  '@Query': Query('limit'),
  '@Param': Param('id'),
  '@Request': Req(),
  '@Response': Res(),
  '@Ip': Ip(),
  'A parameter decorator': OWN() as ParameterDecorator,
};

const FOR_ALL_ROUTES = {
  APP_GUARD: { provide: APP_GUARD, useClass: Guard },
  APP_PIPE: { provide: APP_PIPE, useClass: Pipe },
  APP_INTERCEPTOR: { provide: APP_INTERCEPTOR, useClass: Interceptor },
  APP_FILTER: { provide: APP_FILTER, useClass: Filter },
};

/** Starts over these parts, as the gateway does. */
async function start(parts: ModuleMetadata, decorate: readonly ClassDecorator[] = []): Promise<void> {
  class OddModule {
    readonly isOdd = true;
  }
  Module({ ...parts, providers: [Guard, Pipe, Interceptor, Filter, ...(parts.providers ?? [])] })(OddModule);
  for (const decorator of decorate) decorator(OddModule);
  await startOver(OddModule);
}

async function startOver(module: Type): Promise<void> {
  const nest = await NestFactory.createApplicationContext(module, { logger: false });
  try {
    routesOf(nest.get(ModulesContainer));
  } finally {
    await nest.close();
  }
}

function controllerWith(
  onMethod: readonly MethodDecorator[],
  onParameter: readonly ParameterDecorator[] = [],
): Type {
  @Controller('odd')
  class OddController {
    @Get('one')
    @Credential('public')
    read(): void {
      return undefined;
    }
  }
  const { prototype } = OddController;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'read') ?? {};
  for (const decorate of onMethod) decorate(prototype, 'read', descriptor);
  for (const decorate of onParameter) decorate(prototype, 'read', 0);
  return OddController;
}

describe('a decorator of Nest that would have no effect', () => {
  it('a controller with what the edge reads starts', async () => {
    await start({ controllers: [controllerWith([])] });
  });

  it.each(Object.entries(ON_METHODS))(
    '%s on a method stops the start with its name',
    async (name, decorator) => {
      const controllers = [controllerWith([decorator])];
      await expect(start({ controllers })).rejects.toThrow(
        `${name} on OddController.read would have no effect: `,
      );
    },
  );

  it.each(Object.entries(ON_METHODS_AND_CLASSES))(
    '%s on a controller stops the start with its name',
    async (name, decorator) => {
      const controller = controllerWith([]);
      decorator(controller);
      await expect(start({ controllers: [controller] })).rejects.toThrow(
        `${name} on OddController would have no effect: `,
      );
    },
  );

  it.each(Object.entries(ON_METHODS_AND_CLASSES))(
    '%s on a module stops the start with its name',
    async (name, decorator) => {
      await expect(start({}, [decorator])).rejects.toThrow(`${name} on OddModule would have no effect: `);
    },
  );

  it.each(Object.entries(ON_PARAMETERS))(
    '%s on a parameter stops the start with its name',
    async (name, decorator) => {
      const controllers = [controllerWith([], [decorator])];
      await expect(start({ controllers })).rejects.toThrow(`${name} on OddController.read would have`);
    },
  );

  it.each(Object.entries(FOR_ALL_ROUTES))(
    '%s of a module stops the start with its name',
    async (name, provider) => {
      await expect(start({ providers: [provider] })).rejects.toThrow(`${name} on OddModule would have`);
    },
  );

  it('@Credential on a class, which the edge reads of methods alone, stops the start', async () => {
    const controller = controllerWith([]);
    (Credential('admin') as ClassDecorator)(controller);
    await expect(start({ controllers: [controller] })).rejects.toThrow('OddController would have no effect');
  });

  it('a middleware of a module stops the start with its name', async () => {
    @Module({})
    class OddModule {
      configure(): void {
        return undefined;
      }
    }
    await expect(startOver(OddModule)).rejects.toThrow('middleware on OddModule.configure would have');
  });

  it.each([
    ['scope of @Controller', { scope: Scope.REQUEST }],
    ['host of @Controller', { host: 'admin.example' }],
    ['@Version', { version: '2' }],
    ['The path ["one","two"]', { path: ['one', 'two'] }],
  ])('%s stops the start with its name', async (name, options) => {
    @Controller(options)
    class OddController {}
    await expect(start({ controllers: [OddController] })).rejects.toThrow(
      `${name} on OddController would have no effect: `,
    );
  });

  it('a part that would be made anew for each request stops the start', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {}
    @Controller()
    class OddController {
      constructor(readonly part: PerRequest) {}
    }
    await expect(start({ controllers: [OddController], providers: [PerRequest] })).rejects.toThrow(
      'OddController would have no effect: ',
    );
  });

  it('a guard that a controller inherits stops the start', async () => {
    @UseGuards(Guard)
    class Guarded {}
    @Controller('odd')
    class OddController extends Guarded {}
    await expect(start({ controllers: [OddController] })).rejects.toThrow('@UseGuards on OddController');
  });
});
