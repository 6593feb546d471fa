import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { serveMetrics } from './serve-metrics.ts'

function registry(): Registry {
  const registry = new Registry()
  new Counter({ name: 'things', help: 'Things.', registers: [registry] }).inc(3)
  return registry
}

test('the registry is served at /metrics and nothing else is', async () => {
  const server = await serveMetrics({ registry: registry(), host: '127.0.0.1', port: 0 })
  try {
    const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server?.port}${path}`, init)
    const metrics = await at('/metrics?x=1')
    expect(metrics.headers.get('content-type')).toContain('text/plain')
    expect(await metrics.text()).toContain('things 3')
    expect((await at('/')).status).toBe(404)
    expect((await at('/metrics', { method: 'POST' })).status).toBe(405)
  } finally {
    await server?.close()
  }
})

test('without a port nothing is served', async () => {
  expect(await serveMetrics({ registry: registry(), host: '127.0.0.1', port: null })).toBeNull()
})

test('an error for a port in use names the setting', async () => {
  const first = await serveMetrics({ registry: registry(), host: '127.0.0.1', port: 0 })
  const second = serveMetrics({ registry: registry(), host: '127.0.0.1', port: first?.port ?? 0 })
  await expect(second).rejects.toThrow('METRICS_PORT: cannot listen')
  await first?.close()
})
