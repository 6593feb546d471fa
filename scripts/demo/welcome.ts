import type { Devnet } from '@dexfeed/devnet'
import { NETWORK_NAMES } from '@dexfeed/dex'

/** What somebody who has just started the demo may try. */
export function welcome(base: string, seconds: string, { chains }: Devnet): string {
  return `
dexfeed is ready after ${seconds} s

  price    ${base}/api/quote?sellToken=WBNB&buyToken=USDT
  price    ${base}/api/quote?sellToken=WETH&buyToken=USDC&network=eth
  price    ${base}/api/quote?sellToken=POL&buyToken=USDC&network=polygon
  swaps    ${base}/api/swaps_24h
  volume   ${base}/api/trade_volume_usd_7d
  more     ${base}/docs  ${base}/status

  chains   ${NETWORK_NAMES.map((network) => `${network} ${chains[network].rpcUrl}`).join('  ')}

Ctrl-C stops everything.
`
}
