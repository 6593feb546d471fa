import { SECOND } from '@dexfeed/dex'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { LakeReports } from './write-lake.ts'

export function lakeMetrics(registry: Registry): LakeReports {
  const shared = { registers: [registry], labelNames: ['network'] as const }
  const lastWrite = new Gauge({
    ...shared,
    name: 'dexfeed_lake_last_write_timestamp_seconds',
    help: 'When a day was last written.',
  })
  const failures = new Counter({
    ...shared,
    name: 'dexfeed_lake_write_failures_total',
    help: 'Attempts to write a day that failed.',
  })
  return {
    onWritten: (network) => lastWrite.set({ network }, Date.now() / SECOND),
    onFailed: (network) => failures.inc({ network }),
  }
}
