import { contractCall } from '../../abi/contract-abi.ts'
import { uintWord } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { ExchangeEvent } from '../../pool-event.ts'
import { exchangeEvent } from '../exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }

const TOKEN_SWAP =
  'event TokenSwap(address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId, uint128 boughtId)'
/** Reverts if the registry does not list the pool. */
const GET_TOKENS = contractCall<[readonly Address[]]>(
  'function getTokens(address pool) view returns (address[] tokens)',
)
/** A pool has at most 32 tokens. */
const MAX_TOKEN_ID = 31n

const saddle: Protocol = {
  kind: 'saddle',
  about: {
    name: 'Saddle',
    verifiedBy: '`getTokens(pool)` of the registry',
    notCovered: "trades of a metapool's underlying tokens; pools that the registry does not list",
  },
  family: 'saddle',
  entry: { verifying: 'registry' },
  events: { [TOKEN_SWAP]: swapOf },
  holdsTokens: true,
  identity: { by: 'proof', prove: provePool },
  state: null,
  ...NO_REFERENCES,
}

function swapOf(log: Log): ExchangeEvent | null {
  const soldAmount = uintWord(log.data, 0)
  const boughtAmount = uintWord(log.data, 1)
  const sold = uintWord(log.data, 2)
  const bought = uintWord(log.data, 3)
  if (sold > MAX_TOKEN_ID || bought > MAX_TOKEN_ID) return null
  const soldCoin = { coin: Number(sold) }
  const boughtCoin = { coin: Number(bought) }
  return exchangeEvent('saddle', log, { sold: soldCoin, soldAmount, bought: boughtCoin, boughtAmount })
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const [answer] = yield [{ to: dex.factory, data: GET_TOKENS.data(pool) }]
  const [coins = []] = GET_TOKENS.read(answer) ?? []
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}

export const venue: Venue = { protocols: [saddle], deployments }
