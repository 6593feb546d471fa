import { id } from 'ethers'
import { contractCall } from '../../abi/contract-abi.ts'
import { addressWord, uintWord } from '../../abi/words.ts'
import type { Hex } from '../../chain.ts'
import { exchangeOf } from '../exchange.ts'
import { addedAndRemoved, change } from '../liquidity-change.ts'
import { coinsBy, listedVenue } from '../listed-venue.ts'
import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const V1_SWAP =
  'event Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn, uint256 amountOut, int32 activeTick)'

const BINS = '(uint128,uint128,uint256,uint128,uint8,int32,bool)[]'

const MAVERICK_POOLS = {
  holdsTokens: true as const,
  isListed: contractCall<[boolean]>('function isFactoryPool(address) view returns (bool)'),
  coins: ['function tokenA() view returns (address)', 'function tokenB() view returns (address)'].map((coin) =>
    coinsBy(contractCall(coin)),
  ),
}

const maverickV1 = listedVenue({
  kind: 'maverick-v1',
  about: {
    name: 'Maverick V1',
    verifiedBy: '`isFactoryPool(pool)` of the factory',
    notCovered: null,
  },
  events: {
    [V1_SWAP]: ({ data }) => {
      const exchange = exchangeOf(uintWord(data, 2) !== 0n, uintWord(data, 4), uintWord(data, 5))
      return { ...exchange, recipient: addressWord(data, 1) }
    },
  },
  liquidityLogs: [
    [id(`AddLiquidity(address,uint256,${BINS})`) as Hex, change(true)],
    [id(`RemoveLiquidity(address,address,uint256,${BINS})`) as Hex, change(false)],
  ],
  ...MAVERICK_POOLS,
})

const V2_SWAP =
  'event PoolSwap(address sender, address recipient, tuple(uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)'

const maverickV2 = listedVenue({
  kind: 'maverick-v2',
  about: {
    name: 'Maverick V2',
    verifiedBy: '`isFactoryPool(pool)` of the factory',
    notCovered: null,
  },
  events: {
    [V2_SWAP]: ({ data }) => {
      const exchange = exchangeOf(uintWord(data, 3) !== 0n, uintWord(data, 6), uintWord(data, 7))
      return { ...exchange, recipient: addressWord(data, 1) }
    },
  },
  liquidityLogs: addedAndRemoved(
    'event PoolAddLiquidity(address sender, address recipient, uint256 subaccount, tuple(uint8 kind, int32[] ticks, uint128[] amounts) params, uint256 tokenAAmount, uint256 tokenBAmount, uint32[] binIds)',
    'event PoolRemoveLiquidity(address sender, address recipient, uint256 subaccount, tuple(uint32[] binIds, uint128[] amounts) params, uint256 tokenAOut, uint256 tokenBOut)',
  ),
  ...MAVERICK_POOLS,
})

export const venue: Venue = { protocols: [maverickV1, maverickV2], deployments }
