import { contractCall } from '../../abi/contract-call.ts'
import { addressWord, uintWord } from '../../abi/words.ts'
import { coinsOf } from '../exchange.ts'
import { coinsBy, listedVenue } from '../listed-venue.ts'
import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const V1_SWAP =
  'event Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn, uint256 amountOut, int32 activeTick)'

/** Calls of the pools and factories of both versions. */
const MAVERICK_POOLS = {
  isListed: contractCall<[boolean]>('function isFactoryPool(address) view returns (bool)'),
  coins: ['function tokenA() view returns (address)', 'function tokenB() view returns (address)'].map((coin) =>
    coinsBy(contractCall(coin)),
  ),
}

const maverickV1 = listedVenue({
  kind: 'maverick-v1',
  events: {
    [V1_SWAP]: ({ data }) => {
      const [sold, bought] = coinsOf(uintWord(data, 2) !== 0n)
      const [soldAmount, boughtAmount] = [uintWord(data, 4), uintWord(data, 5)]
      return { sold, soldAmount, bought, boughtAmount, recipient: addressWord(data, 1) }
    },
  },
  ...MAVERICK_POOLS,
})

const V2_SWAP =
  'event PoolSwap(address sender, address recipient, tuple(uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)'

const maverickV2 = listedVenue({
  kind: 'maverick-v2',
  events: {
    [V2_SWAP]: ({ data }) => {
      const [sold, bought] = coinsOf(uintWord(data, 3) !== 0n)
      const [soldAmount, boughtAmount] = [uintWord(data, 6), uintWord(data, 7)]
      return { sold, soldAmount, bought, boughtAmount, recipient: addressWord(data, 1) }
    },
  },
  ...MAVERICK_POOLS,
})

export const venue: Venue = { protocols: [maverickV1, maverickV2], deployments }
