import { contractCall } from '../../abi/contract-abi.ts'
import type { Address } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from '../protocol.ts'
import { CRYPTO_EXCHANGE, decodeExchange } from './events.ts'

const COINS = contractCall<[Address]>('function coins(uint256) view returns (address)')
const STABLECOIN = contractCall<[Address]>('function stablecoin() view returns (address)')
const GET_AMM = contractCall<[Address]>('function get_amm(address collateral, uint256 i) view returns (address)')

/** Number of markets tried per collateral. The call reverts beyond the last market. */
const MAX_MARKETS = 4

export const llamma: Protocol = {
  kind: 'llamma',
  about: {
    name: 'LLAMMA (crvUSD)',
    verifiedBy: '`get_amm(collateral, i)` of the factory',
    notCovered: 'markets of LlamaLend',
  },
  // Crypto pools emit the same event.
  family: 'curve',
  events: { [CRYPTO_EXCHANGE]: (log) => decodeExchange(log, 'coin') },
  holdsTokens: true,
  identity: { by: 'proof', prove: proveMarket },
  state: null,
  ...NO_REFERENCES,
}

function* proveMarket({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const claims = yield [
    { to: pool, data: COINS.data(0n) },
    { to: pool, data: COINS.data(1n) },
    { to: dex.factory, data: STABLECOIN.data() },
  ]
  const token0 = COINS.read(claims[0])?.[0]
  const token1 = COINS.read(claims[1])?.[0]
  if (!token0 || !token1 || token0 === token1 || STABLECOIN.read(claims[2])?.[0] !== token0) return null
  const markets = Array.from({ length: MAX_MARKETS }, (_, i) => GET_AMM.data(token1, BigInt(i)))
  const answers = yield markets.map((data) => ({ to: dex.factory, data }))
  return answers.some((answer) => GET_AMM.read(answer)?.[0] === pool)
    ? { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
    : null
}
