import type { NetworkName } from '@dexfeed/dex'
import { type Clock, systemClock } from '../clock.ts'
import { ChainError } from '../errors/chain-error.ts'
import { httpEndpoint } from '../transport/http-endpoint.ts'
import { maskUrl } from '../transport/mask-url.ts'
import { Endpoint, type RequestReport } from './endpoint.ts'
import { type Budget, costUnder, RequestBudget, type RequestRate } from './request-budget.ts'
import { type BudgetNews, type CallBudget, RemoteBudget } from './shared-budget.ts'

interface BudgetSettings {
  network: NetworkName
  urls: readonly string[]
  rates: readonly (RequestRate | null)[]
  computeUnits: Readonly<Record<string, number>>
}

interface EndpointSettings extends BudgetSettings {
  requestTimeoutMs: number
  budgets: readonly Budget[] | null
  onRequest: (report: RequestReport) => void
  bulkTurn: () => Promise<void>
}

/** Concurrent requests to one endpoint. */
const SLOTS = 12
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/**
 * Creates the endpoints without connecting to them.
 *
 * @throws ChainError if a URL is neither http(s) nor ws(s), or if every URL is ws(s)
 */
export function openEndpoints(
  settings: EndpointSettings,
  clock: Clock,
): { endpoints: Endpoint[]; socketUrls: readonly string[] } {
  const { requestTimeoutMs: timeoutMs, onRequest, bulkTurn } = settings
  const { http, sockets } = sortUrls(settings)
  const budgets = settings.budgets ?? openBudgets(settings, clock)
  const endpoints = http.map((url, i) => {
    const budget = budgets[i]
    if (budget === undefined) throw new Error(`${maskUrl(url)} has no budget`)
    const openHttp = (onDisconnect: () => void) =>
      httpEndpoint({ url, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES, connections: SLOTS + 2, onDisconnect })
    return new Endpoint({ url, slots: SLOTS, onRequest, bulkTurn, budget, openHttp })
  })
  return { endpoints, socketUrls: sockets }
}

export function openBudgets(settings: BudgetSettings, clock: Clock = systemClock): RequestBudget[] {
  const { rates } = settings
  const units = computeUnits(settings.computeUnits)
  return sortUrls(settings).http.map((_, i) => new RequestBudget(rates[i] ?? null, clock, units))
}

/**
 * Returns budgets that another process keeps.
 *
 * @param news initial state of each budget
 * @param call sends a call to the budget with index `place`
 */
export function remoteBudgets(
  settings: BudgetSettings,
  news: readonly BudgetNews[],
  call: (place: number, call: CallBudget) => void,
  clock: Clock = systemClock,
): RemoteBudget[] {
  const units = computeUnits(settings.computeUnits)
  return news.map((budgetNews, place) => {
    return new RemoteBudget(
      costUnder(settings.rates[place] ?? null, units),
      budgetNews,
      (what) => call(place, what),
      clock,
    )
  })
}

function sortUrls({ network, urls }: Pick<EndpointSettings, 'network' | 'urls'>): {
  http: string[]
  sockets: string[]
} {
  const urlsWith = (pattern: RegExp): string[] =>
    urls.filter((url) => URL.canParse(url) && pattern.test(new URL(url).protocol))
  const http = urlsWith(/^https?:$/)
  const sockets = urlsWith(/^wss?:$/)
  const invalid = urls.filter((url) => !http.includes(url) && !sockets.includes(url))
  if (invalid.length > 0) {
    const message = `${network}: not an http(s) or ws(s) URL: ${invalid.map(maskUrl).join(', ')}`
    throw new ChainError(message, { retryable: false })
  }
  if (http.length === 0) {
    const message = `${network}: needs an http(s) RPC URL; WebSocket URLs only report new heads`
    throw new ChainError(message, { retryable: false })
  }
  return { http, sockets }
}

const COMPUTE_UNITS: Readonly<Record<string, number>> = {
  eth_chainId: 10,
  eth_blockNumber: 10,
  eth_getBlockByNumber: 20,
  eth_getBlockByHash: 20,
  eth_getBlockReceipts: 20,
  eth_getTransactionByHash: 20,
  eth_getTransactionReceipt: 20,
  eth_getCode: 20,
  eth_call: 26,
  eth_getLogs: 75,
}
const OTHER_METHOD = 20

export function computeUnits(settings: Readonly<Record<string, number>>): (method: string) => number {
  const units = new Map(Object.entries({ ...COMPUTE_UNITS, ...settings }))
  return (method) => units.get(method) ?? OTHER_METHOD
}
