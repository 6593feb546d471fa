import { callData } from '../abi-words.ts'
import type { Hex } from '../chain/hex.ts'
import type { Protocol } from './protocol.ts'
import { decodeConcentratedSwap, uniswapV3 } from './uniswap-v3.ts'

/** Swap(…as Uniswap V3…, uint128 protocolFeesToken0, uint128 protocolFeesToken1) */
const SWAP: Hex = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83'
/** getPool(address,address,uint24) */
const GET_POOL: Hex = '0x1698ee82'

/** Fee tiers of the factory, in millionths. */
const FEE_TIERS = [100, 500, 2500, 10_000]

const { events, identity, state, creation } = uniswapV3

/** PancakeSwap V3: Uniswap V3 with a longer Swap event and fee tiers of its own. */
export const pancakeswapV3: Protocol = {
  kind: 'pancakeswap-v3',
  family: 'concentrated',
  // Its Initialize, Mint and Burn are Uniswap V3's; its pools never emit the shorter Swap.
  events: { ...events, [SWAP]: (log) => decodeConcentratedSwap(log, 7) },
  priceTopics: [SWAP],
  identity,
  state,
  creation,
  lookupCalls: (tokenA, tokenB) => FEE_TIERS.map((fee) => callData(GET_POOL, tokenA, tokenB, fee)),
}
