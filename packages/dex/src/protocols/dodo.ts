import { addressWord, callData, hasWords, uintWord } from '../abi-words.ts'
import { dynamicAddresses } from '../address-list.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { AddressField, Dex } from '../pool.ts'
import type { ExchangeEvent } from '../pool-event.ts'
import type { PoolCandidate, PoolProof, Protocol } from './protocol.ts'

/** DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver) */
const SWAP: Hex = '0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f'
/** _BASE_TOKEN_() */
const BASE_TOKEN: Hex = '0x4a248d2a'
/** _QUOTE_TOKEN_() */
const QUOTE_TOKEN: Hex = '0xd4b97046'
/** getDODOPool(address,address): the factory's pools of a base and a quote token */
const GET_POOLS: Hex = '0x57a281dc'

const FACTORY_FIELDS: readonly AddressField[] = ['factory', 'dvmFactory', 'dppFactory', 'dspFactory', 'gspFactory']

/** DODO V2 and later: vending machines, private, stable and gas-saving pools, each kind from a factory of its own. */
export const dodo: Protocol = {
  kind: 'dodo',
  family: 'dodo',
  events: { [SWAP]: decodeSwap },
  identity: { by: 'proof', prove: proveDodoPool },
  state: null,
  priceTopics: [],
  creation: null,
  lookupCalls: () => [],
}

function decodeSwap(log: Log): ExchangeEvent | null {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  if (topics.length !== 1 || !hasWords(data, 6)) return null
  return {
    type: 'exchange',
    family: 'dodo',
    pool,
    transactionIndex,
    logIndex,
    sold: { token: addressWord(data, 0) },
    soldAmount: uintWord(data, 2),
    bought: { token: addressWord(data, 1) },
    boughtAmount: uintWord(data, 3),
  }
}

/** The pool names its two tokens; any of the factories then lists it among its pools of them, or it is none of theirs. */
function* proveDodoPool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const claims = yield [BASE_TOKEN, QUOTE_TOKEN].map((data) => ({ to: pool, data }))
  const [token0, token1] = claims.map((claim) => (claim && hasWords(claim, 1) ? addressWord(claim, 0) : null))
  if (!token0 || !token1 || token0 === token1) return null
  const factories = new Set([dex.factory, ...FACTORY_FIELDS.flatMap((field) => dex.contracts?.[field] ?? [])])
  const lists = yield [...factories].map((to) => ({ to, data: callData(GET_POOLS, token0, token1) }))
  const isListed = lists.some((list) => list && dynamicAddresses(list, 0)?.includes(pool))
  return isListed ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null } : null
}
