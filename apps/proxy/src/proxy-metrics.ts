import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Standing } from './replicas/replica.ts'

export interface ProxyMetrics {
  /** Answers by the class of their status; `cut` is one that broke off, `left` one that nobody waited for. */
  answered(outcome: string): void
  /** A request that another replica was asked after one that was gone. */
  retried(): void
  /** How many replicas stand how. */
  replicas(counts: Readonly<Record<Standing, number>>): void
}

export function proxyMetrics(registry: Registry): ProxyMetrics {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const answers = new Counter({
    name: 'dexfeed_proxy_answers_total',
    help: 'Requests by what became of them: the class of the status, cut, or left by the client',
    labelNames: ['outcome'] as const,
    registers,
  })
  const retries = new Counter({
    name: 'dexfeed_proxy_retries_total',
    help: 'Requests that were sent once more because a replica was gone',
    registers,
  })
  const replicas = new Gauge({
    name: 'dexfeed_proxy_replicas',
    help: 'Replicas of the API: ready, answering without being ready, or silent',
    labelNames: ['standing'] as const,
    registers,
  })
  return {
    answered: (outcome) => answers.inc({ outcome }),
    retried: () => retries.inc(),
    replicas(counts) {
      for (const [standing, count] of Object.entries(counts)) replicas.set({ standing }, count)
    },
  }
}
