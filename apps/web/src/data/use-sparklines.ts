import type { NetworkName } from '../format/networks.ts'
import { api } from './api.ts'
import { useResource } from './use-resource.ts'

const HOURS = 24
/** `listCandles` takes no more. */
const TOKENS_PER_CALL = 10
const REFRESH_MS = 60_000

interface Charted {
  network: NetworkName
  address: string
}

/** Returns the hourly closes of the last day by network and address, oldest first. */
export function useSparklines(tokens: readonly Charted[]): ReadonlyMap<string, readonly string[]> {
  const calls = callsOf(tokens)
  const { state } = useResource(
    calls.length === 0 ? null : `sparklines ${JSON.stringify(calls)}`,
    async (signal) => {
      const closes = new Map<string, string[]>()
      const read = async ({ network, addresses }: Call) => {
        const limit = HOURS * addresses.length
        const selection = { network, token: addresses.join(), interval: '1h', fill: 'true', limit } as const
        const { data } = await api.call('listCandles', selection, { signal })
        for (const { token, close } of data) {
          const key = `${network} ${token}`
          if (close !== null) closes.set(key, [close, ...(closes.get(key) ?? [])])
        }
      }
      await Promise.all(calls.map(read))
      return closes
    },
    { refreshMs: REFRESH_MS, keepPrevious: true },
  )
  return state.value.data ?? new Map()
}

interface Call {
  network: NetworkName
  addresses: readonly string[]
}

function callsOf(tokens: readonly Charted[]): Call[] {
  const networks = [...new Set(tokens.map(({ network }) => network))]
  return networks.flatMap((network) => {
    const addresses = tokens.filter((token) => token.network === network).map(({ address }) => address)
    const count = Math.ceil(addresses.length / TOKENS_PER_CALL)
    return Array.from({ length: count }, (_, at) => ({
      network,
      addresses: addresses.slice(at * TOKENS_PER_CALL, (at + 1) * TOKENS_PER_CALL),
    }))
  })
}
