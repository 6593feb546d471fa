import {
  checkProxyEnvironment,
  type ProgramContext,
  type ProxySettings,
  runProgram,
  serveMetrics,
} from '@dexfeed/service'
import { Registry } from 'prom-client'
import { startProxy } from './start-proxy.ts'

runProgram('proxy', checkProxyEnvironment, start)

async function start({ settings, log, shutdown }: ProgramContext<ProxySettings>): Promise<void> {
  const registry = new Registry()
  const metrics = await serveMetrics({ registry, host: settings.host, port: settings.metricsPort })
  if (metrics !== null) shutdown.add('metrics', () => metrics.close())
  const proxy = await startProxy({ ...settings, log, registry })
  shutdown.add('proxy', () => proxy.stop())
  log.info({ url: proxy.url }, 'listening')
}
