import { contractCall } from '../../abi/contract-abi.ts'
import { addressWord, uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import { type LaunchTrade, launchpad } from '../launchpad.ts'
import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const BOUGHT =
  'event TokenBought(uint256 ts, address token, address buyer, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)'
const SOLD =
  'event TokenSold(uint256 ts, address token, address seller, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)'
/** Returns twelve words. Status 0 means never launched; a zero quote token means the native coin. */
const GET_TOKEN = contractCall<
  [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, Address, boolean, bigint]
>(
  'function getTokenV5(address token) view returns (uint8 status, uint256 reserve, uint256 circulatingSupply, uint256 price, uint8 tokenVersion, uint256 r, uint256 h, uint256 k, uint256 dexSupplyThresh, address quoteTokenAddress, bool nativeToQuoteSwapEnabled, uint256 extensionID)',
)

const flap = launchpad({
  kind: 'flap',
  about: {
    name: 'Flap',
    verifiedBy: 'the configured portal is the emitter, and its `getTokenV5(token)` has a quote token',
    notCovered: 'the tax of a tax token is not in the amounts',
  },
  events: { [BOUGHT]: (log) => tradeOf(log, false), [SOLD]: (log) => tradeOf(log, true) },
  quoteToken: {
    data: GET_TOKEN.data,
    read(answer) {
      const [status, , , , , , , , , quote] = GET_TOKEN.read(answer) ?? []
      return status === undefined || status === 0n ? null : (quote ?? null)
    },
  },
})

function tradeOf({ data }: Log, isTokenSold: boolean): LaunchTrade {
  return { token: addressWord(data, 1), isTokenSold, tokenAmount: uintWord(data, 3), quoteAmount: uintWord(data, 4) }
}

export const venue: Venue = { protocols: [flap], deployments }
