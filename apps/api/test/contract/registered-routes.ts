import { createLogger } from '@dexfeed/service'
import { Registry } from 'prom-client'
import { apiMetrics } from '../../src/api-metrics.ts'
import { type AppOptions, createApp } from '../../src/create-app.ts'
import { type ApiFixture, NOON } from '../api-fixture.ts'

interface Layer {
  route?: { path: string } | undefined
  handle: unknown
}

/** Returns the paths of an app's routes, in the form of the OpenAPI document. A path may occur twice. */
export function registeredRoutes({ reader, api: { feed, changes } }: ApiFixture): string[] {
  const now = () => NOON
  // Stubs suffice, because no request is sent.
  const parts = { reader, feed, changes, hub: null, recent: { valuePools() {} }, day: {}, rateLimitPerS: 0 }
  const { app } = createApp({
    ...parts,
    log: createLogger({ name: 'test', level: 'silent' }),
    now,
    metrics: apiMetrics(new Registry(), () => [], now),
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
