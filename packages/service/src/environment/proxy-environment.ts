import * as z from 'zod'
import { type Check, finish, LAST_PORT, read } from './read-variables.ts'
import type { ProxySettings } from './settings.ts'
import * as schema from './variable-schemas.ts'

const PROXY = z.object({
  LOG_LEVEL: schema.logLevel,
  HOST: schema.hostName,
  PORT: schema.wholeNumber(0, LAST_PORT),
  METRICS_PORT: schema.wholeNumber(0, LAST_PORT),
  TRUST_PROXY: schema.trustProxy,
  API_URL: schema.urlOf(['http:']),
})

/** For the proxy in front of the API. */
export const checkProxyEnvironment: Check<ProxySettings> = (environment, readFile) => {
  const { values, problems } = read(PROXY, environment, readFile)
  const { API_URL: apiUrl = '', PORT: port = 3000 } = values
  if (apiUrl === '' && !problems.some((line) => line.startsWith('API_URL:'))) {
    problems.push('API_URL: is not set; it says where the API is')
  }
  if (port !== 0 && port === values.METRICS_PORT)
    problems.push(`METRICS_PORT: is ${port}, the port of the proxy itself`)
  return finish(problems, () => ({
    logLevel: values.LOG_LEVEL ?? 'info',
    warnings: [],
    host: values.HOST ?? '127.0.0.1',
    port,
    metricsPort: values.METRICS_PORT ?? null,
    trustProxy: values.TRUST_PROXY ?? null,
    apiUrl,
  }))
}
