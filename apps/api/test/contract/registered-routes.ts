import { createLogger } from '@dexfeed/service'
import { Registry } from 'prom-client'
import { apiMetrics } from '../../src/api-metrics.ts'
import { type AppOptions, createApp } from '../../src/create-app.ts'
import { RateLimit } from '../../src/http/limits/rate-limit.ts'
import { TokenCatalog } from '../../src/token-catalog.ts'
import { type ApiFixture, NOON } from '../api-fixture.ts'

interface Layer {
  route?: { path: string } | undefined
  handle: unknown
}

/** Returns the paths of an app's routes, in the form of the OpenAPI document. A path may occur twice. */
export function registeredRoutes({ reader, api: { feed, changes } }: ApiFixture): string[] {
  // None of this is used, because no request comes.
  const parts = { reader, catalog: new TokenCatalog(reader), feed, changes, hub: null, day: {} }
  const limits = { rates: new RateLimit(0), lists: {}, listenerLimits: {}, listPatience: {} }
  const { app } = createApp({
    ...parts,
    ...limits,
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => NOON,
    metrics: apiMetrics(new Registry(), () => new Map()),
  } as unknown as AppOptions)
  return pathsOf(app.router.stack)
}

function pathsOf(stack: readonly Layer[]): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return pathsOf((handle as { stack?: Layer[] }).stack ?? [])
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    return [path === '/docs' ? '/docs/' : path]
  })
}
